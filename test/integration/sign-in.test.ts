import { desc, eq } from "drizzle-orm";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messages } from "../../db/email/schema";
import { companies, preferences } from "../../db/identity/schema";
import { readSignInMail } from "../support/mail/maildev";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";

type Tokens = { access_token: string; refresh_token: string; expires_in: number; provider: string };
type JsonResponse = { status: number; body: Record<string, unknown> };

let platform: Platform;
let redirectTo = "";
beforeAll(async () => {
  platform = await sharePlatform();
  redirectTo = `${platform.url}/`;
});
afterAll(() => platform?.close());

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<JsonResponse> {
  const response = await fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const requestLink = (email: string, fields: Record<string, unknown> = {}) =>
  post("/identity/api/v1/magic-link/request", { company_id: 1, email, redirect_to: redirectTo, ...fields });

/** Signs in with the code of the newest mail, when the address has received `mails` mails. */
async function signIn(email: string, mails = 1): Promise<Tokens> {
  await requestLink(email);
  const { code } = readSignInMail(await platform.inbox.waitForMail(email, mails));
  const response = await post("/identity/api/v1/magic-link/verify", { company_id: 1, email, code });
  expect(response.status).toBe(200);
  return response.body as Tokens;
}

describe("sign-in over all Workers and real SMTP", () => {
  it("signs in by the emailed link, refreshes the session and ends it at the sign-out", async () => {
    const email = "owner@example.com";
    expect((await requestLink(email)).status).toBe(200);
    const mail = await platform.inbox.waitForMail(email);
    expect(mail.from[0]?.address).toBe("no-reply@platform.example.com");
    const { link } = readSignInMail(mail);
    expect(link.startsWith(`${platform.url}/identity/api/v1/magic-link/verify?token=`)).toBe(true);
    expect(mail.html).toContain(link.replaceAll("&", "&amp;"));

    const page = await fetch(link, { headers: { accept: "text/html" } });
    const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const token = new URL(link).searchParams.get("token") ?? "";
    const form = await fetch(new URL("?company_id=1", link), {
      method: "POST",
      redirect: "manual",
      headers: { cookie, origin: platform.url, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ token, company_id: "1", csrf_token: csrf }),
    });
    expect(form.status).toBe(302);
    const location = new URL(form.headers.get("location") ?? "");
    expect(location.origin + location.pathname).toBe(redirectTo);
    const authCode = location.searchParams.get("platform_auth_code");

    const exchanged = await post("/identity/api/v1/oauth/session", { auth_code: authCode, redirect_to: redirectTo });
    expect(exchanged.status).toBe(200);
    const tokens = exchanged.body as Tokens;
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 300, provider: "magic_link" });
    const user = await fetch(`${platform.url}/identity/api/v1/user`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await user.json()).toMatchObject({ email });

    const refreshed = await post("/identity/api/v1/token?grant_type=refresh_token", {
      refresh_token: tokens.refresh_token,
    });
    const renewed = refreshed.body as Tokens;
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    expect((await post("/identity/api/v1/logout", { refresh_token: renewed.refresh_token })).status).toBe(200);
    const rejected = await post("/identity/api/v1/token?grant_type=refresh_token", {
      refresh_token: renewed.refresh_token,
    });
    expect(rejected).toMatchObject({ status: 401, body: { error_code: "token_invalid" } });
  });

  it("signs tokens that another JWT library verifies with the published keys", async () => {
    const { access_token } = await signIn("jwks@example.com");
    const keys = createRemoteJWKSet(new URL(`${platform.url}/identity/.well-known/jwks.json`));
    const issuer = `${platform.url}/identity`;
    const { payload } = await jwtVerify(access_token, keys, { issuer, audience: "platform", algorithms: ["RS256"] });
    expect(payload).toMatchObject({ email: "jwks@example.com", company_id: 1, token_type: "access" });
    expect(decodeProtectedHeader(access_token).kid).toBeTruthy();
  });

  it("forwards the request id from the edge to the stored mail", async () => {
    const email = "trace@example.com";
    const body = { company_id: 1, email, redirect_to: redirectTo };
    await post("/identity/api/v1/magic-link/request", body, { "x-request-id": "trace-me.1" });
    await platform.inbox.waitForMail(email);
    expect(await platform.rows.email.countRows(messages, eq(messages.request_id, "trace-me.1"))).toBe(1);
  });

  it("sends mail in the user's stored language, or else in the language of the request", async () => {
    await requestLink("langue@example.com", { language: "fr-CA" });
    expect((await platform.inbox.waitForMail("langue@example.com")).html).toMatch(/<html[^>]* lang="fr"/);
    const email = "preference@example.com";
    const { access_token } = await signIn(email);
    const user = JSON.parse(atob(access_token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""));
    const preference = { user_id: Number(user.user_id), language: "fr", updated_at: 1 };
    await platform.rows.identity.insertRow(preferences, preference);
    await requestLink(email, { language: "en" });
    expect((await platform.inbox.waitForMail(email, 2)).html).toMatch(/<html[^>]* lang="fr"/);
  });

  it("accepts a staff member's token in the email service until the sign-out", async () => {
    const email = "staff@example.com";
    const tokens = await signIn(email);
    const authorization = `Bearer ${tokens.access_token}`;
    const create = (name: string) =>
      post("/email/api/v1/service-clients", { service: "hosting", name }, { authorization });
    expect((await create("first")).status).toBe(201);
    await post("/identity/api/v1/logout", { refresh_token: tokens.refresh_token });
    expect((await create("second")).status).toBe(401);
  });

  it("accepts a read-only personal access token in the email service until it is reissued or revoked", async () => {
    const tokens = await signIn("owner@example.com", 2);
    const authorization = `Bearer ${tokens.access_token}`;
    const pats = "/identity/api/v1/personal-access-tokens";
    const { status, body } = await post(pats, { name: "reader", read_only: true }, { authorization });
    expect(status).toBe(201);
    const reader = { authorization: `Bearer ${body.access_token}` };
    const read = async (headers = reader) => {
      const response = await fetch(`${platform.url}/email/api/v1/messages`, { headers });
      return { status: response.status, code: ((await response.json()) as { error_code?: string }).error_code };
    };
    expect(await read()).toEqual({ status: 200, code: undefined });
    expect(await post("/email/api/v1/suppressions", { email: "x@example.com" }, reader)).toMatchObject({
      status: 403,
      body: { error_code: "pat_read_only" },
    });
    const readToken = async () =>
      (await (await fetch(`${platform.url}${pats}/${body.id}`, { headers: { authorization } })).json()) as object;
    await expect.poll(readToken).toMatchObject({ use_count: 1, last_used_at: expect.any(String) });
    const reissued = await post(`${pats}/${body.id}/reissue`, {}, { authorization });
    expect(await read()).toEqual({ status: 401, code: "unauthorized" });
    const reissuedReader = { authorization: `Bearer ${reissued.body.access_token}` };
    expect((await read(reissuedReader)).status).toBe(200);
    expect((await post(`${pats}/${body.id}/revoke`, {}, { authorization })).status).toBe(200);
    expect(await read(reissuedReader)).toEqual({ status: 401, code: "unauthorized" });
  });

  it("rejects a user without access to the company, and accepts the same code after access is granted", async () => {
    const email = "refused@example.com";
    await platform.rows.identity.updateRows(companies, { access_mode: "invite" }, eq(companies.id, 1));
    await requestLink(email);
    const { code } = readSignInMail(await platform.inbox.waitForMail(email));
    const verify = () => post("/identity/api/v1/magic-link/verify", { company_id: 1, email, code });
    expect(await verify()).toMatchObject({ status: 403, body: { error_code: "access_pending" } });
    await platform.rows.identity.updateRows(companies, { access_mode: "public" }, eq(companies.id, 1));
    expect((await verify()).status).toBe(200);
    expect(await verify()).toMatchObject({ status: 400, body: { error_code: "sign_in_code_invalid" } });
  });

  it("responds normally while the mail server is down, and delivers the mail once when it is back", async () => {
    const email = "patient@example.com";
    await platform.inbox.stop();
    expect((await requestLink(email)).status).toBe(200);
    const status = async () =>
      (await platform.rows.email.readRows(messages, undefined, desc(messages.accepted_at)))[0]?.status;
    await expect.poll(status).toBe("retrying");
    await platform.inbox.start();
    await platform.inbox.waitForMail(email);
    await platform.runCron();
    await expect.poll(status).toBe("sent");
    expect(await platform.inbox.mailsTo(email)).toHaveLength(1);
  });
});
