import { asc, eq } from "drizzle-orm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { auth_codes, event_log, oauth_clients, oauth_redirects, oauth_states } from "../../../db/identity/schema";
import { challengeOf } from "../../../workers/identity/sign-in/completion/code-challenge";
import { callIdentity, freshEmail, freshIp, json } from "../../support/identity/identity";
import { callback, errorOf, google, openSignIn } from "../../support/identity/oauth";
import {
  changeClient,
  changeCompany,
  changeRowsOfCompany,
  deleteRows,
  rowsOfCompany,
} from "../../support/identity/rows";

afterEach(() => vi.unstubAllGlobals());

const html = { accept: "text/html,application/xhtml+xml" };
const codeOf = (text: string) => /data-error-code="([^"]*)"/.exec(text)?.[1];

describe("state of an OAuth sign-in", () => {
  it("is valid once, in the browser that started the sign-in, for ten minutes", async () => {
    const { startSignIn, sendCallback, internet, company } = await openSignIn("google");
    const { location, cookie, response } = await startSignIn();
    expect(response.headers.get("set-cookie")).toMatch(
      /^platform_oauth_state_nonce=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    );
    const values = internet.consent(location, google(freshEmail()));
    const foreignCookie = (await startSignIn()).cookie;
    const refusals = [
      await sendCallback(values, ""),
      await sendCallback(values, foreignCookie),
      await sendCallback({ ...values, state: "x".repeat(43) }, cookie),
      await sendCallback({ code: values.code ?? "" }, cookie),
      await sendCallback({ ...values, state: "x".repeat(3000) }, cookie),
    ];
    for (const rejection of refusals) {
      expect([rejection.status, (await rejection.json<{ error_code: string }>()).error_code]).toEqual([
        400,
        "invalid_oauth_state",
      ]);
    }
    const done = await sendCallback(values, cookie);
    expect([done.status, done.headers.get("access-control-allow-origin")]).toEqual([302, null]);
    expect(done.headers.get("referrer-policy")).toBe("no-referrer");
    const replayed = await sendCallback(values, cookie, { ...html, "accept-language": "fr-CA" });
    const page = await replayed.text();
    expect([replayed.status, codeOf(page), page.includes('lang="fr"')]).toEqual([400, "invalid_oauth_state", true]);
    expect(replayed.headers.get("content-security-policy")).toMatch(/form-action 'none'$/);
    expect(replayed.headers.get("referrer-policy")).toBe("no-referrer");

    const expiring = await startSignIn();
    await changeRowsOfCompany(oauth_states, company.id, { expires_at: Date.now() });
    const expired = await sendCallback(internet.consent(expiring.location, google(freshEmail())), expiring.cookie);
    expect(await expired.json()).toMatchObject({ error_code: "invalid_oauth_state" });
    const failures = (await rowsOfCompany(event_log, company.id, asc(event_log.id))).filter(
      ({ outcome }) => outcome === "failure",
    );
    // An unknown state belongs to no company.
    expect(failures).toHaveLength(4);
    expect(JSON.parse(failures[0]?.data ?? "")).toMatchObject({
      provider: "google",
      failure_reason: "invalid_oauth_state",
    });
  });

  it("accepts one of 50 parallel callbacks, with one token exchange at the provider", async () => {
    const { startSignIn, sendCallback, internet, company } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const values = internet.consent(location, google(freshEmail()));
    const responses = await Promise.all(Array.from({ length: 50 }, () => sendCallback(values, cookie)));
    expect(responses.map((response) => response.status).sort()).toEqual([
      302,
      ...Array.from({ length: 49 }, () => 400),
    ]);
    expect(internet.state.requests.filter((request) => request.url.endsWith("/token"))).toHaveLength(1);
    expect(await rowsOfCompany(auth_codes, company.id)).toHaveLength(1);
  });

  it("encrypts its secrets, and sets a prefixed, secure cookie on https", async () => {
    const { bindings, startSignIn, company } = await openSignIn("google");
    const { location } = await startSignIn();
    const { searchParams } = new URL(location);
    const [row] = await rowsOfCompany(oauth_states, company.id);
    const text = JSON.stringify(row);
    for (const name of ["state", "nonce", "code_challenge"]) expect(text).not.toContain(searchParams.get(name));
    const query = new URLSearchParams({
      company_id: String(company.id),
      redirect_to: company.origin,
      provider: "google",
    });
    const secure = await callIdentity(bindings, `/api/v1/authorize?${query}`, {}, "https://auth.example.com");
    expect(secure.headers.get("set-cookie")).toMatch(
      /^__Host-platform_oauth_state_nonce=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Secure; Max-Age=600$/,
    );
  });

  it("lets two tabs of one browser sign in at the same time", async () => {
    const { authorize, sendCallback, internet, startSignIn } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const second = await authorize({}, { headers: { cookie } });
    expect(second.headers.get("set-cookie")).toContain(cookie);
    const other = internet.consent(second.headers.get("location") ?? "", google(freshEmail()));
    expect((await sendCallback(other, cookie)).status).toBe(302);
    expect((await sendCallback(internet.consent(location, google(freshEmail())), cookie)).status).toBe(302);
  });
});

describe("GET /authorize", () => {
  it("returns 400 for errors found before the redirect is checked, and redirects with the code of later errors", async () => {
    const { authorize, company, client, bindings } = await openSignIn("google");
    for (const [query, code] of [
      [{ company_id: "" }, "validation_failed"],
      [{ company_id: "0" }, "validation_failed"],
      [{ redirect_to: "" }, "validation_failed"],
      [{ redirect_to: "javascript:alert(1)" }, "validation_failed"],
      [{ token_delivery: "fragment" }, "validation_failed"],
      [{ token_delivery: "cookie" }, "validation_failed"],
      [{ code_challenge: "short" }, "validation_failed"],
      [{ code_challenge_method: "S256" }, "validation_failed"],
      [{ code_challenge_method: "plain", code_challenge: "x".repeat(43) }, "validation_failed"],
      [{ client_timezone: "<>" }, "validation_failed"],
      [{ switch_account: "yes" }, "validation_failed"],
      [{ redirect_to: "https://evil.example/" }, "redirect_not_allowed"],
      [{ redirect_to: `${company.origin}.evil.example/` }, "redirect_not_allowed"],
      [{ company_id: "99999999" }, "redirect_not_allowed"],
    ] as [Record<string, string>, string][]) {
      const response = await authorize(query);
      expect([query, response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
        query,
        400,
        code,
      ]);
      const page = await authorize(query, { headers: html });
      expect([page.status, codeOf(await page.text())]).toEqual([400, code]);
    }
    const missing = await callIdentity(bindings, "/api/v1/authorize");
    expect(await missing.json()).toMatchObject({ field_errors: { company_id: ["required"] } });
    for (const [query, code] of [
      [{ provider: "github" }, "provider_disabled"],
      [{ provider: "nonsense" }, "provider_disabled"],
      [{ company_id: "99999999", redirect_to: "http://localhost:1/x?a=1" }, "provider_disabled"],
      [{ company_oauth_client_id: crypto.randomUUID() }, "oauth_client_unavailable"],
    ] as [Record<string, string>, string][]) {
      const location = new URL((await authorize(query)).headers.get("location") ?? "");
      expect([query, errorOf(location)]).toEqual([query, code]);
      expect(location.searchParams.get("platform_oauth_error")).toMatch(/^[A-Z].*\.$/);
    }
    const companyProvider = await authorize({ company_oauth_client_id: client });
    expect(companyProvider.headers.get("location")).toMatch(/^https:\/\/accounts\.google\.com\//);
    await changeCompany(company.id, { is_active: false });
    expect(errorOf(new URL((await authorize()).headers.get("location") ?? ""))).toBe("provider_disabled");
  });

  it("counts requests by client address together with the callback and the redeem request", async () => {
    const { bindings, company } = await openSignIn("google", { vars: { AUTH_RATE_LIMIT_OAUTH: "2/min" } });
    const ip = freshIp();
    const query = new URLSearchParams({ company_id: String(company.id), redirect_to: company.origin });
    expect((await callIdentity(bindings, `/api/v1/authorize?${query}`, { ip })).status).toBe(200);
    expect((await callIdentity(bindings, callback, { ip })).status).toBe(400);
    const response = await callIdentity(bindings, `/api/v1/authorize?${query}`, { ip, headers: html });
    expect([response.status, codeOf(await response.text())]).toEqual([429, "rate_limited"]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    const session = await callIdentity(bindings, "/api/v1/oauth/session", { ip, ...json({ auth_code: "x" }) });
    expect(session.status).toBe(429);
  });
});

describe("callback of the provider", () => {
  it("delivers tokens in the fragment if the deployment is configured so, and a code if the application requests it", async () => {
    const { run } = await openSignIn("google", { vars: { OAUTH_TOKEN_DELIVERY: "fragment" } });
    const location = await run(google(freshEmail()));
    expect(location.hash).toMatch(
      /^#access_token=[^&]+&refresh_token=prt_[^&]+&token_type=bearer&expires_at=\d+&expires_in=300&provider=google$/,
    );
    const coded = await run(google(freshEmail()), { query: { token_delivery: "code" } });
    expect([coded.hash, coded.searchParams.has("platform_auth_code")]).toEqual(["", true]);
  });

  it("keeps the query of the redirect, and binds the code to the application's challenge", async () => {
    const { run, redeem, company } = await openSignIn("google");
    const verifier = "v".repeat(43);
    const redirect_to = `${company.origin}/cb?next=%2Fhome&platform_oauth_error_code=old`;
    const query = { redirect_to, code_challenge: await challengeOf(verifier), code_challenge_method: "S256" };
    const location = await run(google(freshEmail()), { query });
    expect([...location.searchParams.keys()]).toEqual(["next", "platform_auth_code"]);
    expect(await (await redeem(location, { redirect_to })).json()).toMatchObject({
      error_code: "code_verifier_required",
    });
    expect((await redeem(location, { redirect_to, code_verifier: verifier })).status).toBe(200);
  });

  it("checks the allowlist again at the callback and when the code is redeemed", async () => {
    const { startSignIn, sendCallback, internet, company, run, redeem } = await openSignIn("google");
    const { location, cookie } = await startSignIn();
    const done = await run(google(freshEmail()));
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: false });
    const response = await sendCallback(internet.consent(location, google(freshEmail())), cookie);
    expect([response.status, (await response.json<{ error_code: string }>()).error_code]).toEqual([
      400,
      "redirect_not_allowed",
    ]);
    expect(await (await redeem(done)).json()).toMatchObject({ error_code: "redirect_not_allowed" });
    await changeRowsOfCompany(oauth_redirects, company.id, { is_active: true });
    expect((await redeem(done)).status).toBe(200);
  });

  it("accepts form posts only from Apple", async () => {
    const { startSignIn, bindings } = await openSignIn("google");
    const state = new URL((await startSignIn()).location).searchParams.get("state") ?? "";
    const post = (body: string, type = "application/x-www-form-urlencoded") =>
      callIdentity(bindings, callback, { method: "POST", body, headers: { "content-type": type } });
    const response = await post(new URLSearchParams({ state, code: "x" }).toString());
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await (await post("state=unknown&code=x")).json()).toMatchObject({ error_code: "invalid_oauth_state" });
    expect((await post("{}", "application/json")).status).toBe(415);
    expect((await post(`state=${"x".repeat(70_000)}`)).status).toBe(413);
  });

  it("rejects the callback when the client was deleted or disabled in the meantime", async () => {
    const { startSignIn, sendCallback, internet, client } = await openSignIn("google");
    const finish = async () => {
      const { location, cookie } = await startSignIn();
      const values = internet.consent(location, google(freshEmail()));
      return { values, cookie };
    };
    const first = await finish();
    const second = await finish();
    await changeClient(client, { is_active: false });
    const whileInactive = await sendCallback(first.values, first.cookie);
    expect(errorOf(new URL(whileInactive.headers.get("location") ?? ""))).toBe("provider_disabled");
    await deleteRows(oauth_clients, eq(oauth_clients.id, client));
    const removedClient = await sendCallback(second.values, second.cookie);
    expect(errorOf(new URL(removedClient.headers.get("location") ?? ""))).toBe("oauth_client_unavailable");
  });
});
