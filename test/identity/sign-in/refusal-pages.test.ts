import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { oauth_redirects } from "../../../db/identity/schema";
import { failingDatabase } from "../../support/db/failing-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  freshIp,
  identityEnv,
  requestLink,
} from "../../support/identity/identity";
import { changeCompany, deleteRows } from "../../support/identity/rows";

const verify = "/api/v1/magic-link/verify";
const authorize = "/api/v1/authorize";
const html = { accept: "text/html" };
const form = { ...html, "content-type": "application/x-www-form-urlencoded" };
const newLink = "Request a new link";
const startAgain = "start again there";

async function openLink(vars: Record<string, string> = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox, vars);
  const company = await createCompany();
  const { token } = await requestLink(env, mailbox, company, freshEmail());
  return { env, company, token, link: `${verify}?token=${token}&company_id=${company.id}` };
}

const codeOf = (text: string) => /data-error-code="([^"]*)"/.exec(text)?.[1];

describe("page of a rejected link", () => {
  it("asks the user to open the link again after a failed CSRF check, and offers no new link", async () => {
    const { env, company, token, link } = await openLink();
    const body = new URLSearchParams({ token, company_id: String(company.id), csrf_token: "x" }).toString();
    const response = await callIdentity(env, verify, { method: "POST", headers: form, body });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([403, "csrf_failed"]);
    expect(text).toContain("Open it from your mail again");
    expect(text).not.toContain("new link");
    expect((await callIdentity(env, link, { headers: html })).status).toBe(200);
  });

  it("shows how long to wait after too many attempts, and offers no new link", async () => {
    const { env, link } = await openLink({ AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/10min" });
    const ip = freshIp();
    await callIdentity(env, link, { headers: html, ip });
    const response = await callIdentity(env, link, { headers: html, ip });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([429, "rate_limited"]);
    expect(text).toContain("try again in 10 minutes");
    expect(text).not.toContain("new link");
    const french = await callIdentity(env, link, { headers: { ...html, "accept-language": "fr" }, ip });
    expect(await french.text()).toMatch(/réessayez dans 10\s*minutes/);
  });

  it("offers no new link if links are disabled", async () => {
    const { env, company, link } = await openLink();
    await changeCompany(company.id, { enable_magic_link: false });
    const response = await callIdentity(env, link, { headers: html });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([403, "magic_link_disabled"]);
    expect(text).toContain("sign in another way");
    expect(text).not.toContain("new link");
  });

  it("offers a new link only for an allowed origin", async () => {
    const { env, company, token } = await openLink();
    await deleteRows(oauth_redirects, eq(oauth_redirects.company_id, company.id));
    const csrf = "c".repeat(43);
    const response = await callIdentity(env, verify, {
      method: "POST",
      headers: { ...form, cookie: `platform_csrf=${csrf}` },
      body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }).toString(),
    });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([400, "redirect_not_allowed"]);
    expect(text).not.toContain(company.origin);
  });

  it("asks the user to try again while the database is unavailable", async () => {
    const { env, link } = await openLink();
    const response = await callIdentity({ ...env, DB: failingDatabase }, link, { headers: html });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([503, "service_unavailable"]);
    expect(text).toContain("Try again in a moment");
    expect(text).not.toContain("new link");
  });

  it("offers a new link for an invalid one", async () => {
    const { env, company } = await openLink();
    const response = await callIdentity(env, `${verify}?token=x&company_id=${company.id}`, { headers: html });
    expect(await response.text()).toContain(newLink);
  });
});

describe("page of a rejected sign-in", () => {
  const post = (env: ReturnType<typeof identityEnv>, fields: Record<string, string>, ip = freshIp()) =>
    callIdentity(env, "/api/v1/magic-link/request", {
      method: "POST",
      headers: form,
      ip,
      body: new URLSearchParams(fields).toString(),
    });

  it("explains a failed CSRF check, a disabled method and a redirect that is not allowed", async () => {
    const { env, company } = await openLink();
    const fields = { company_id: String(company.id), email: freshEmail(), redirect_to: company.origin };
    const unconfirmed = await (await post(env, fields)).text();
    expect(codeOf(unconfirmed)).toBe("csrf_failed");
    expect(unconfirmed).toContain("Load the sign-in page again");
    const query = new URLSearchParams({ company_id: String(company.id), redirect_to: "https://evil.example/" });
    const foreign = await (await callIdentity(env, `${authorize}?${query}`, { headers: html })).text();
    expect(codeOf(foreign)).toBe("redirect_not_allowed");
    await changeCompany(company.id, { enable_magic_link: false });
    const csrf = "c".repeat(43);
    const disabled = await callIdentity(env, "/api/v1/magic-link/request", {
      method: "POST",
      headers: { ...form, cookie: `platform_csrf=${csrf}` },
      body: new URLSearchParams({ ...fields, csrf_token: csrf }).toString(),
    });
    const switchedOff = await disabled.text();
    expect(codeOf(switchedOff)).toBe("magic_link_disabled");
    expect(switchedOff).toContain("sign in another way");
    for (const text of [unconfirmed, foreign, switchedOff]) expect(text).not.toContain(startAgain);
  });

  it("shows how long to wait", async () => {
    const env = identityEnv(createMailbox(), { AUTH_RATE_LIMIT_OAUTH: "1/10min" });
    const ip = freshIp();
    await callIdentity(env, authorize, { headers: html, ip });
    const response = await callIdentity(env, authorize, { headers: html, ip });
    const text = await response.text();
    expect([response.status, codeOf(text)]).toEqual([429, "rate_limited"]);
    expect(text).toContain("Try again in 10 minutes");
    expect(text).not.toContain(startAgain);
  });
});

describe("response to an invalid setting", () => {
  it.each([
    ["GET", verify],
    ["GET", authorize],
    ["GET", "/api/v1/oauth/callback"],
    ["POST", verify],
    ["POST", "/api/v1/magic-link/request"],
  ])("returns a page to browsers and JSON to other clients at %s %s", async (method, path) => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    for (const vars of [{ MAGIC_LINK_TTL_SECONDS: "soon" }, { JWT_PRIVATE_KEY: "none" }]) {
      const env = identityEnv(createMailbox(), vars);
      const page = await callIdentity(env, path, { method, headers: method === "POST" ? form : html });
      const text = await page.text();
      expect([page.status, page.headers.get("content-type"), codeOf(text)]).toEqual([
        503,
        "text/html; charset=utf-8",
        "service_unavailable",
      ]);
      expect(page.headers.get("content-security-policy")).toMatch(/form-action 'none'$/);
      const plain = await callIdentity(env, path, { method });
      expect(await plain.json()).toMatchObject({ error_code: "service_unavailable" });
      const call = await callIdentity(env, "/api/v1/user", { headers: html });
      expect(await call.json()).toMatchObject({ error_code: "service_unavailable" });
    }
    error.mockRestore();
  });
});

describe("sign-in cookies", () => {
  const live = { DEBUG: "false", JWT_ISSUER: "https://auth.example.com" };

  it("are secure and prefixed outside DEBUG, even for requests over http", async () => {
    const { company, token } = await openLink();
    const env = identityEnv(createMailbox(), live);
    const query = new URLSearchParams({ company_id: String(company.id), redirect_to: company.origin });
    for (const path of [`${verify}?token=${token}&company_id=${company.id}`, `${authorize}?${query}`]) {
      const page = await callIdentity(env, path, { headers: html }, "http://auth.example.com");
      expect(page.status).toBe(200);
      expect(page.headers.get("set-cookie")).toMatch(
        /^__Host-platform_csrf=[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=\/; Secure$/,
      );
    }
  });

  it("are ignored with their development name outside DEBUG", async () => {
    const { company, token } = await openLink();
    const csrf = "c".repeat(43);
    const submit = (cookie: string) =>
      callIdentity(
        identityEnv(createMailbox(), live),
        verify,
        {
          method: "POST",
          headers: { ...form, cookie: `${cookie}=${csrf}` },
          body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }).toString(),
        },
        "http://auth.example.com",
      );
    expect((await submit("platform_csrf")).status).toBe(403);
    expect((await submit("__Host-platform_csrf")).status).toBe(302);
  });
});
