import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { decodeJwt } from "jose";
import { describe, expect, it, vi } from "vitest";
import { sessions } from "../../../db/identity/schema";
import worker from "../../../workers/identity/worker";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  freshIp,
  identityEnv,
  json,
  requestLink,
  signIn,
  type Tokens,
} from "../../support/identity/identity";
import { rowsOfCompany } from "../../support/identity/rows";

const refresh = "/api/v1/token?grant_type=refresh_token";
const verify = "/api/v1/magic-link/verify";
type Env = ReturnType<typeof identityEnv>;

const codeOf = async (response: Response) => (await response.json<{ error_code?: string }>()).error_code ?? "ok";
const renew = (env: Env, token: string) => callIdentity(env, refresh, json({ refresh_token: token }));

describe("refresh tokens", () => {
  it("end the session when they are used after two newer tokens were issued, even within the grace period", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const first = await signIn(env, mailbox, company, freshEmail());
    const second = await (await renew(env, first.refresh_token)).json<Tokens>();
    const third = await (await renew(env, second.refresh_token)).json<Tokens>();
    expect(await codeOf(await renew(env, first.refresh_token))).toBe("refresh_token_reused");
    expect(await codeOf(await renew(env, third.refresh_token))).toBe("token_invalid");
    const bearer = { headers: { authorization: `Bearer ${third.access_token}` } };
    expect(await codeOf(await callIdentity(env, "/api/v1/user", bearer))).toBe("token_invalid");
  });

  it("are accepted for 7 days without use and for at most 90 days in total", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const day = 86_400_000;
    const start = Date.now();
    clock.now = () => start;
    let { refresh_token } = await signIn(env, mailbox, await createCompany(), freshEmail());
    for (let age = 6; age < 90; age += 6) {
      clock.now = () => start + age * day;
      ({ refresh_token } = await (await renew(env, refresh_token)).json<Tokens>());
    }
    clock.now = () => start + 90 * day - 1000;
    ({ refresh_token } = await (await renew(env, refresh_token)).json<Tokens>());
    clock.now = () => start + 90 * day;
    expect(await codeOf(await renew(env, refresh_token))).toBe("token_invalid");
  });

  it("contain version, session, counter and HMAC", async () => {
    const mailbox = createMailbox();
    const tokens = await signIn(identityEnv(mailbox), mailbox, await createCompany(), freshEmail());
    const bytes = Uint8Array.from(atob(tokens.refresh_token.slice(4).replaceAll("-", "+").replaceAll("_", "/")), (c) =>
      c.charCodeAt(0),
    );
    expect([tokens.refresh_token.slice(0, 4), bytes.length, bytes[0]]).toEqual(["prt_", 53, 1]);
    const sid = [...bytes.slice(1, 17)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(sid).toBe(String(decodeJwt(tokens.access_token).sid).replaceAll("-", ""));
    expect([...bytes.slice(17, 21)]).toEqual([0, 0, 0, 0]);
    expect(decodeJwt(tokens.access_token).jti).toMatch(/^[0-9a-f]{32}$/);
    expect(tokens.expires_at).toBe(decodeJwt(tokens.access_token).exp);
  });
});

describe("logout by refresh token", () => {
  it("ends the session of the access token, and also that of the refresh token if both belong to the same user", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const [first, second] = [await signIn(env, mailbox, company, email), await signIn(env, mailbox, company, email)];
    const other = await signIn(env, mailbox, company, freshEmail());
    const logout = (token: string, bearer?: string) =>
      callIdentity(
        env,
        "/api/v1/logout",
        json({ refresh_token: token }, bearer ? { authorization: `Bearer ${bearer}` } : {}),
      );
    const isLive = async ({ access_token }: Tokens) =>
      (await callIdentity(env, "/api/v1/user", { headers: { authorization: `Bearer ${access_token}` } })).status ===
      200;
    const response = await logout(other.refresh_token, first.access_token);
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    expect([await isLive(first), await isLive(second), await isLive(other)]).toEqual([false, true, true]);
    const third = await signIn(env, mailbox, company, email);
    expect((await logout(second.refresh_token, third.access_token)).status).toBe(200);
    expect([await isLive(second), await isLive(third), await isLive(other)]).toEqual([false, false, true]);
  });

  it("accepts a refresh token, even a used one, when the bearer has expired", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const tokens = await signIn(env, mailbox, company, freshEmail());
    const next = await (await renew(env, tokens.refresh_token)).json<Tokens>();
    const base = clock.now;
    clock.now = () => base() + 301_000;
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    expect(await codeOf(await callIdentity(env, "/api/v1/logout", json({}, bearer)))).toBe("token_invalid");
    const body = json({ refresh_token: tokens.refresh_token }, bearer);
    expect((await callIdentity(env, "/api/v1/logout", body)).status).toBe(200);
    expect(await codeOf(await renew(env, next.refresh_token))).toBe("token_invalid");
  });
});

describe("logout of all sessions", () => {
  const day = 86_400_000;

  async function signInTwice() {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const ended = await signIn(env, mailbox, company, email);
    const signInAgain = () => signIn(env, mailbox, company, email);
    const bearerOf = ({ access_token }: Tokens) => ({ authorization: `Bearer ${access_token}` });
    const logout = async (body: object, headers: Record<string, string> = {}) =>
      (await callIdentity(env, "/api/v1/logout", json(body, headers))).status;
    const statusOf = async (tokens: Tokens) =>
      (await callIdentity(env, "/api/v1/user", { headers: bearerOf(tokens) })).status;
    return { env, ended, other: await signInAgain(), signInAgain, bearerOf, logout, statusOf };
  }

  it("does nothing when the refresh token, the access token or both belong to a revoked session", async () => {
    const { ended, other, bearerOf, logout, statusOf } = await signInTwice();
    expect(await logout({}, bearerOf(ended))).toBe(200);
    expect(await logout({ refresh_token: ended.refresh_token, all: true })).toBe(200);
    expect(await logout({ all: true }, bearerOf(ended))).toBe(200);
    expect(await logout({ refresh_token: ended.refresh_token, all: true }, bearerOf(ended))).toBe(200);
    expect(await statusOf(other)).toBe(200);
  });

  it("does nothing when the session of the refresh token has expired", async () => {
    const { env, ended, other, signInAgain, logout, statusOf } = await signInTwice();
    const start = clock.now();
    clock.now = () => start + 6 * day;
    const renewed = await (await renew(env, other.refresh_token)).json<Tokens>();
    clock.now = () => start + 8 * day;
    const fresh = await signInAgain();
    expect(await logout({ refresh_token: ended.refresh_token, all: true })).toBe(200);
    expect([await statusOf(fresh), (await renew(env, renewed.refresh_token)).status]).toEqual([200, 200]);
  });

  it("accepts the refresh token of a live session with the bearer of an ended one", async () => {
    const { ended, other, signInAgain, bearerOf, logout, statusOf } = await signInTwice();
    const third = await signInAgain();
    await logout({}, bearerOf(ended));
    expect(await logout({ refresh_token: third.refresh_token, all: true }, bearerOf(ended))).toBe(200);
    expect([await statusOf(other), await statusOf(third)]).toEqual([401, 401]);
  });
});

it("accepts refresh tokens and sign-in codes issued under the previous secret key, if SECRET_KEY_PREVIOUS has that key", async () => {
  const company = await createCompany();
  const email = freshEmail();
  const envBefore = identityEnv(createMailbox());
  const mailbox = createMailbox();
  const oldBox = createMailbox();
  const before = identityEnv(oldBox);
  const tokens = await signIn(before, oldBox, company, freshEmail());
  const { code } = await requestLink(before, oldBox, company, email);
  const key = { SECRET_KEY: "another-secret-key-of-32-bytes-or-more" };
  const after = identityEnv(mailbox, { ...key, SECRET_KEY_PREVIOUS: String(envBefore.SECRET_KEY) });
  const withoutPrevious = identityEnv(mailbox, key);
  const consume = (env: Env) => callIdentity(env, verify, json({ code, email, company_id: company.id }));
  expect(await codeOf(await renew(withoutPrevious, tokens.refresh_token))).toBe("token_invalid");
  expect(await codeOf(await consume(withoutPrevious))).toBe("sign_in_code_invalid");
  const renewed = await (await renew(after, tokens.refresh_token)).json<Tokens>();
  // New tokens are signed with the new key.
  expect((await renew(withoutPrevious, renewed.refresh_token)).status).toBe(200);
  expect((await consume(after)).status).toBe(200);
});

describe("rate limits by client address", () => {
  it.each([
    [
      "AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY",
      [
        [verify, {}],
        [verify, json({})],
        [verify, { method: "POST", headers: { "content-type": "text/plain" }, body: "x" }],
      ],
    ],
    [
      "AUTH_RATE_LIMIT_TOKEN_REFRESH",
      [
        [refresh, json({})],
        ["/api/v1/logout", json({})],
        [refresh, json({})],
      ],
    ],
    [
      "AUTH_RATE_LIMIT_OAUTH",
      [
        ["/api/v1/authorize", {}],
        ["/api/v1/oauth/callback", {}],
        ["/api/v1/oauth/session", json({})],
      ],
    ],
    [
      "AUTH_RATE_LIMIT_SETTINGS",
      [
        ["/api/v1/settings", {}],
        ["/api/v1/settings?company_id=1", {}],
        ["/api/v1/settings", {}],
      ],
    ],
  ] as [string, [string, RequestInit][]][])("counts requests to all endpoints of %s together", async (name, calls) => {
    const env = identityEnv(createMailbox(), { [name]: "3/min" });
    const ip = freshIp();
    for (const [path, init] of calls) expect((await callIdentity(env, path, { ...init, ip })).status).not.toBe(429);
    for (const [path, init] of calls) {
      const response = await callIdentity(env, path, { ...init, ip });
      expect([response.status, Number(response.headers.get("retry-after")) >= 1]).toEqual([429, true]);
    }
    const [path, init] = calls[0] ?? ["", {}];
    const headers = {
      ...(init.headers as Record<string, string> | undefined),
      "x-forwarded-for": ip,
      "x-real-ip": ip,
    };
    expect((await callIdentity(env, path, { ...init, headers })).status).not.toBe(429);
  });
});

describe("round trips to the database before the response", () => {
  /** Returns the status and the D1 round trips that the log line of the request reports. */
  async function roundTripsOf(env: Env, path: string, init: RequestInit): Promise<unknown[]> {
    const spy = vi.spyOn(console, "log").mockImplementation(() => {});
    const ctx = createExecutionContext();
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", freshIp());
    const response = await worker.fetch(
      new Request(`http://localhost:8787${path}`, { redirect: "manual", ...init, headers }) as never,
      env,
      ctx,
    );
    const lines = spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
    spy.mockRestore();
    await waitOnExecutionContext(ctx);
    return [response.status, lines.find(({ message }) => message === "request")?.db_round_trips];
  }

  it("makes 2 round trips to request a link and to verify a link or code, and 1 to refresh, to redeem an auth code and to check a credential", async () => {
    const mailbox = createMailbox();
    const env = identityEnv(mailbox);
    const company = await createCompany();
    const email = freshEmail();
    const body = { company_id: company.id, email, redirect_to: company.origin };
    expect(await roundTripsOf(env, "/api/v1/magic-link/request", json(body))).toEqual([200, 2]);
    const { token } = await requestLink(env, mailbox, company, email);
    expect(await roundTripsOf(env, verify, json({ token, company_id: company.id }))).toEqual([200, 2]);
    const { code } = await requestLink(env, mailbox, company, email);
    expect(await roundTripsOf(env, verify, json({ code, email, company_id: company.id }))).toEqual([200, 2]);
    const tokens = await signIn(env, mailbox, company, email);
    expect(await roundTripsOf(env, refresh, json({ refresh_token: tokens.refresh_token }))).toEqual([200, 1]);
    const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
    expect(await roundTripsOf(env, "/api/v1/user", bearer)).toEqual([200, 1]);

    const last = await requestLink(env, mailbox, company, email);
    const page = await callIdentity(env, `${verify}?token=${last.token}&company_id=${company.id}`, {
      headers: { accept: "text/html" },
    });
    const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
    const fields = { token: last.token, company_id: String(company.id), csrf_token: cookie.split("=")[1] ?? "" };
    const form = {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields).toString(),
    };
    const sent = await callIdentity(env, verify, form);
    const auth_code = new URL(sent.headers.get("location") ?? "").searchParams.get("platform_auth_code");
    const redeem = json({ auth_code, redirect_to: `${company.origin}/login/callback` });
    expect(await roundTripsOf(env, "/api/v1/oauth/session", redeem)).toEqual([200, 1]);
    expect(await rowsOfCompany(sessions, company.id)).toHaveLength(4);
  });
});
