import { describe, expect, it } from "vitest";
import { oauth_redirects, sign_in_requests } from "../../../db/identity/schema";
import { challengeOf } from "../../../workers/identity/sign-in/completion/code-challenge";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  type Tokens,
} from "../../support/identity/identity";
import { changeCompany, changeMembership, changeRowsOfCompany, rowsOfCompany } from "../../support/identity/rows";

const path = "/api/v1/magic-link/verify";
const html = { accept: "text/html,application/xhtml+xml" };

async function openLink(
  companyFields: Parameters<typeof createCompany>[0] = {},
  vars: Record<string, string> = {},
  linkFields = {},
) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, vars);
  const company = await createCompany(companyFields);
  const email = freshEmail();
  const link = await requestLink(env, mailbox, company, email, linkFields);
  const query = `?token=${link.token}&company_id=${company.id}`;
  const page = await callIdentity(env, `${path}${query}`, { headers: html });
  const text = await page.clone().text();
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const submit = (fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    callIdentity(env, `${path}?company_id=${company.id}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie, ...html, ...headers },
      body: new URLSearchParams({
        token: link.token,
        company_id: String(company.id),
        csrf_token: csrf,
        ...fields,
      }).toString(),
    });
  return { env, mailbox, company, email, link, query, page, text, csrf, cookie, submit };
}

describe("confirmation page of a link", () => {
  it("shows company, masked address and one button without scripts, and never consumes the link", async () => {
    const { env, page, text, query, company, email, link } = await openLink();
    expect(page.status).toBe(200);
    expect(text).toContain(`${email.slice(0, 1)}***@example.com`);
    expect(text).not.toContain(email);
    expect(text).not.toContain("<script");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("x-robots-tag")).toBe("noindex");
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
    expect(page.headers.get("content-security-policy")).toMatch(
      /default-src 'none'; style-src 'sha256-.*form-action 'self' https:$/,
    );
    expect(page.headers.get("set-cookie")).toMatch(/^platform_csrf=.{43}; HttpOnly; SameSite=Lax; Path=\/$/);
    for (const init of [
      { method: "HEAD" },
      { headers: { ...html, "sec-purpose": "prefetch" } },
      { headers: { ...html, "user-agent": "SafeLinks scanner" } },
    ]) {
      expect((await callIdentity(env, `${path}${query}`, init)).status).toBe(200);
    }
    expect((await rowsOfCompany(sign_in_requests, company.id)).map((row) => row.consumed_at)).toEqual([null]);
    expect((await callIdentity(env, path, json({ token: link.token, company_id: company.id }))).status).toBe(200);
  });

  it("uses French for French browsers, and shows errors as a page with code and a link to sign in again", async () => {
    const { env, company } = await openLink();
    const french = { ...html, "accept-language": "fr-CA,fr;q=0.9,en;q=0.5" };
    const cases = [
      [`?token=${"x".repeat(43)}&company_id=${company.id}`, 400, "magic_link_invalid"],
      [`?company_id=${company.id}`, 400, "validation_failed"],
      [`?token=${"x".repeat(129)}&company_id=${company.id}`, 400, "validation_failed"],
      ["?token=x&company_id=abc", 400, "validation_failed"],
      ["?token=x&company_id=99999999", 403, "magic_link_disabled"],
    ] as const;
    for (const [query, status, code] of cases) {
      const page = await callIdentity(env, `${path}${query}`, { headers: french });
      const text = await page.text();
      expect([page.status, /data-error-code="([^"]*)"/.exec(text)?.[1]]).toEqual([status, code]);
      expect(text).toContain('lang="fr"');
      expect(text).not.toContain("<form");
      const plain = await callIdentity(env, `${path}${query}`);
      expect((await plain.json<{ error_code: string }>()).error_code).toBe(code);
    }
    const unknownLink = await callIdentity(env, `${path}${cases[0][0]}`, { headers: french });
    expect(await unknownLink.text()).toContain(`href="${company.origin}/login"`);
  });
});

describe("form of a link", () => {
  it("signs in with an auth code that only one of 50 parallel requests can redeem", async () => {
    const { env, submit, company } = await openLink();
    const done = await submit();
    expect(done.status).toBe(302);
    const location = new URL(done.headers.get("location") ?? "");
    expect(location.origin).toBe(company.origin);
    const body = {
      auth_code: location.searchParams.get("platform_auth_code"),
      redirect_to: `${company.origin}/login/callback`,
    };
    const redeem = (change = {}) => callIdentity(env, "/api/v1/oauth/session", json({ ...body, ...change }));
    for (const change of [
      { redirect_to: `${company.origin}/other` },
      { company_id: 1 },
      { auth_code: "x".repeat(43) },
    ]) {
      expect(await (await redeem(change)).json()).toMatchObject({ error_code: "auth_code_invalid" });
    }
    const elsewhere = `/api/v1/oauth/session?company_id=${company.id + 1}`;
    expect(await (await callIdentity(env, elsewhere, json(body))).json()).toMatchObject({
      error_code: "auth_code_invalid",
    });
    const both = await callIdentity(env, elsewhere, json({ ...body, company_id: company.id }));
    expect(await both.json()).toMatchObject({ field_errors: { company_id: ["mismatch"] } });
    const foreign = await callIdentity(env, "/api/v1/oauth/session", json(body, { origin: "https://evil.example" }));
    expect(await foreign.json()).toMatchObject({ error_code: "auth_code_invalid" });
    const responses = await Promise.all(Array.from({ length: 50 }, () => redeem()));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    const winner = responses.find((response) => response.status === 200);
    expect((await winner?.json<Tokens>())?.provider).toBe("magic_link");
    expect((await submit()).status).toBe(400);
  });

  it("keeps the query of the redirect, and delivers tokens in the fragment if the deployment is configured so", async () => {
    const { submit, company } = await openLink({}, { OAUTH_TOKEN_DELIVERY: "fragment" });
    const location = (await submit()).headers.get("location") ?? "";
    expect(location).toMatch(
      new RegExp(
        `^${company.origin}/login/callback#access_token=[^&]+&refresh_token=prt_[^&]+&token_type=bearer&expires_at=\\d+&expires_in=300&provider=magic_link$`,
      ),
    );
    const delivered = await openLink({}, {}, {});
    const sentBack = await delivered.submit();
    const next = new URL(sentBack.headers.get("location") ?? "");
    expect([...next.searchParams.keys()]).toEqual(["platform_auth_code"]);
    expect(sentBack.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("removes the platform's parameters from the redirect at delivery and when the code is redeemed", async () => {
    const old = "platform_auth_code=old&platform_oauth_error=no&platform_oauth_error_code=access_denied";
    for (const query of [`?next=1&${old}`, "?next=1"]) {
      const mailbox = createMailbox();
      const env = identityEnv(mailbox);
      const company = await createCompany();
      const redirect_to = `${company.origin}/cb?next=1&${old}`;
      const { token } = await requestLink(env, mailbox, company, freshEmail(), { redirect_to });
      const csrf = "c".repeat(43);
      const done = await callIdentity(env, path, {
        method: "POST",
        headers: { cookie: `platform_csrf=${csrf}`, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }).toString(),
      });
      const location = new URL(done.headers.get("location") ?? "");
      expect([...location.searchParams.keys()]).toEqual(["next", "platform_auth_code"]);
      const auth_code = location.searchParams.get("platform_auth_code");
      const body = { auth_code, redirect_to: `${company.origin}/cb${query}` };
      expect((await callIdentity(env, "/api/v1/oauth/session", json(body))).status, query).toBe(200);
    }
  });

  it("rejects a foreign origin or site, a missing cookie and a wrong token with csrf_failed, and keeps the link", async () => {
    const { submit } = await openLink();
    for (const [fields, headers] of [
      [{}, { origin: "https://evil.example" }],
      [{}, { "sec-fetch-site": "cross-site" }],
      [{}, { cookie: "" }],
      [{ csrf_token: "wrong" }, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const response = await submit(fields, headers);
      expect(response.status).toBe(403);
      expect(await response.text()).toContain('data-error-code="csrf_failed"');
    }
    expect((await submit({}, { origin: "null", "sec-fetch-site": "same-origin" })).status).toBe(302);
  });

  it("redirects a rejected user to the application with the error code, and keeps the link", async () => {
    const { submit, company } = await openLink({ access_mode: "invite" });
    const location = new URL((await submit()).headers.get("location") ?? "");
    expect(location.searchParams.get("platform_oauth_error_code")).toBe("access_pending");
    expect(location.searchParams.get("platform_oauth_error")).toMatch(/administrator/);
    expect((await rowsOfCompany(sign_in_requests, company.id)).map((row) => row.consumed_at)).toEqual([null]);
  });

  it("rejects a redirect that was removed from the allowlist after the request", async () => {
    const { submit, company } = await openLink();
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: false });
    const response = await submit();
    expect([response.status, (await response.text()).includes("redirect_not_allowed")]).toEqual([400, true]);
  });

  it("reads a body without media type as JSON", async () => {
    const { env, company, link } = await openLink();
    const body = new TextEncoder().encode(JSON.stringify({ token: link.token, company_id: company.id }));
    const response = await callIdentity(env, path, { method: "POST", body });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ token_type: "bearer" })]);
    expect((await callIdentity(env, path, { method: "POST" })).status).toBe(400);
  });

  it("rejects other media types with 415, and malformed forms with a page", async () => {
    const { env, company, submit } = await openLink();
    const other = await callIdentity(env, path, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "x",
    });
    expect(other.status).toBe(415);
    const broken = await callIdentity(env, `${path}?company_id=${company.id}`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: "nonsense",
    });
    expect([broken.status, (await broken.text()).includes("validation_failed")]).toEqual([400, true]);
    expect((await submit({ company_id: "2" })).status).toBe(400);
  });
});

describe("PKCE", () => {
  const verifier = "a".repeat(43);

  it("requires the verifier when a link is consumed by JSON or a code is redeemed, and consumes nothing for a wrong one", async () => {
    const challenge = { code_challenge: await challengeOf(verifier), code_challenge_method: "S256" };
    const { env, company, link, submit } = await openLink({}, {}, challenge);
    const consume = (overrides: object) =>
      callIdentity(env, path, json({ token: link.token, company_id: company.id, ...overrides }));
    expect(await (await consume({})).json()).toMatchObject({ error_code: "code_verifier_required" });
    expect(await (await consume({ code_verifier: "b".repeat(43) })).json()).toMatchObject({
      error_code: "code_verifier_invalid",
    });
    const location = new URL((await submit()).headers.get("location") ?? "");
    const body = {
      auth_code: location.searchParams.get("platform_auth_code"),
      redirect_to: `${company.origin}/login/callback`,
    };
    const redeem = (overrides: object) => callIdentity(env, "/api/v1/oauth/session", json({ ...body, ...overrides }));
    expect(await (await redeem({})).json()).toMatchObject({ error_code: "code_verifier_required" });
    expect(await (await redeem({ code_verifier: "b".repeat(43) })).json()).toMatchObject({
      error_code: "code_verifier_invalid",
    });
    expect((await redeem({ code_verifier: verifier })).status).toBe(200);
  });

  it("rejects the code of a user who was disabled in the meantime, without consuming it", async () => {
    const { env, company, submit, email } = await openLink();
    const location = new URL((await submit()).headers.get("location") ?? "");
    const body = {
      auth_code: location.searchParams.get("platform_auth_code"),
      redirect_to: `${company.origin}/login/callback`,
    };
    const redeem = () => callIdentity(env, "/api/v1/oauth/session", json(body));
    await changeMembership(company.id, email, { state: "denied" });
    expect(await (await redeem()).json()).toMatchObject({ error_code: "access_denied" });
    await changeMembership(company.id, email, { state: "allowed" });
    expect((await redeem()).status).toBe(200);
  });
});

describe("confirmation page of a company with HTML in its name", () => {
  it("escapes the name", async () => {
    const { env, company, query } = await openLink();
    await changeCompany(company.id, { name: `<img src=x onerror=alert(1)>"'&` });
    await createUser({ email: freshEmail(), company: company.id });
    const text = await (await callIdentity(env, `${path}${query}`, { headers: html })).text();
    expect(text).not.toContain("<img");
    expect(text).toContain("&lt;img");
  });
});
