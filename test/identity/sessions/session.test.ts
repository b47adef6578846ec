import { eq } from "drizzle-orm";
import { decodeJwt, decodeProtectedHeader, generateKeyPair, importPKCS8, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { memberships, sessions } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  signIn,
  type Tokens,
} from "../../support/identity/identity";
import {
  changeCompany,
  changeMembership,
  changeUserByEmail,
  deleteRows,
  entriesOf,
  findUserByEmail,
  rowsOfCompany,
} from "../../support/identity/rows";

function advance(seconds: number): void {
  const base = clock.now;
  clock.now = () => base() + seconds * 1000;
}

const refresh = "/api/v1/token?grant_type=refresh_token";
const code = async (response: Response) => [
  response.status,
  (await response.json<{ error_code: string }>()).error_code,
];

async function signedIn(overrides: Parameters<typeof createCompany>[0] = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany(overrides);
  const email = freshEmail();
  const tokens = await signIn(env, mailbox, company, email);
  const call = (path: string, init: RequestInit = {}) => callIdentity(env, path, init);
  const withBearer = (token: string) => ({ authorization: `Bearer ${token}` });
  return { mailbox, env, company, email, tokens, call, withBearer };
}

describe("refresh of a session", () => {
  it("rotates the token, returns the current pair within the grace period, and ends the session on later reuse", async () => {
    const { tokens, call, company } = await signedIn();
    const first = await (await call(refresh, json({ refresh_token: tokens.refresh_token }))).json<Tokens>();
    expect(first.refresh_token).not.toBe(tokens.refresh_token);
    const repeated = await (await call(refresh, json({ refresh_token: tokens.refresh_token }))).json<Tokens>();
    expect(repeated.refresh_token).toBe(first.refresh_token);
    advance(31);
    const reused = await call(refresh, json({ refresh_token: tokens.refresh_token }));
    expect(await code(reused)).toEqual([401, "refresh_token_reused"]);
    expect(await code(await call(refresh, json({ refresh_token: first.refresh_token })))).toEqual([
      401,
      "token_invalid",
    ]);
    const audit = await entriesOf(company.id, "identity.auth.session");
    expect(audit).toMatchObject([{ event_type: "identity.auth.session.reuse_detected", outcome: "failure" }]);
  });

  it("records a reuse once when the old token is sent by parallel requests", async () => {
    const { tokens, call, company } = await signedIn();
    await (await call(refresh, json({ refresh_token: tokens.refresh_token }))).text();
    const later = clock.now() + 31_000;
    clock.now = () => later;
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => call(refresh, json({ refresh_token: tokens.refresh_token }))),
    );
    const codes = await Promise.all(responses.map(async (response) => (await code(response))[1]));
    expect(codes.filter((errorCode) => errorCode === "refresh_token_reused")).toHaveLength(1);
    expect(await entriesOf(company.id, "identity.auth.session")).toHaveLength(1);
  });

  it("rotates once for 50 parallel refreshes, and returns the same current token to all of them", async () => {
    const { tokens, call, company } = await signedIn();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => call(refresh, json({ refresh_token: tokens.refresh_token }))),
    );
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
    const pairs = await Promise.all(responses.map((response) => response.json<Tokens>()));
    expect(new Set(pairs.map((pair) => pair.refresh_token)).size).toBe(1);
    expect((await rowsOfCompany(sessions, company.id)).map(({ counter }) => counter)).toEqual([1]);
  });

  it("keeps auth_time and sid, and reads the other claims from the stored rows", async () => {
    const { tokens, call, email } = await signedIn();
    await changeUserByEmail(email, { first_name: "Leo" });
    advance(60);
    const next = await (await call(refresh, json({ refresh_token: tokens.refresh_token }))).json<Tokens>();
    const [before, after] = [decodeJwt(tokens.access_token), decodeJwt(next.access_token)];
    expect([after.sid, after.auth_time]).toEqual([before.sid, before.auth_time]);
    expect(after.user_metadata).toMatchObject({ name: "Leo" });
    expect(decodeProtectedHeader(next.access_token)).toMatchObject({ alg: "RS256", typ: "JWT" });
  });

  it("rejects invalid, expired and other companies' tokens, and users without access, with the documented code", async () => {
    const { tokens, call, company, email } = await signedIn();
    const other = await createCompany();
    const forged = `${tokens.refresh_token.slice(0, -2)}AA`;
    expect(await code(await call(refresh, json({ refresh_token: "nonsense" })))).toEqual([401, "token_invalid"]);
    expect(await code(await call(refresh, json({ refresh_token: forged })))).toEqual([401, "token_invalid"]);
    expect(
      await code(await call(refresh, json({ refresh_token: tokens.refresh_token, company_id: other.id }))),
    ).toEqual([403, "company_mismatch"]);
    expect(await code(await call("/api/v1/token", json({ refresh_token: tokens.refresh_token })))).toEqual([
      400,
      "unsupported_grant_type",
    ]);
    for (const [state, expected] of [
      ["pending", "access_pending"],
      ["denied", "access_denied"],
    ] as const) {
      await changeMembership(company.id, email, { state });
      expect(await code(await call(refresh, json({ refresh_token: tokens.refresh_token })))).toEqual([403, expected]);
    }
    await changeMembership(company.id, email, { state: "allowed" });
    await changeUserByEmail(email, { is_active: false });
    expect(await code(await call(refresh, json({ refresh_token: tokens.refresh_token })))).toEqual([
      401,
      "token_invalid",
    ]);
    await changeUserByEmail(email, { is_active: true });
    advance(7 * 86_400 + 1);
    expect(await code(await call(refresh, json({ refresh_token: tokens.refresh_token })))).toEqual([
      401,
      "token_invalid",
    ]);
  });
});

it("updates last_seen_at at a rotation once per UTC day, and not at a rejected refresh", async () => {
  clock.now = () => Date.parse("2027-03-17T23:59:00Z");
  const { tokens, call, company } = await signedIn();
  const lastSeenAt = async () => (await rowsOfCompany(memberships, company.id))[0]?.last_seen_at ?? 0;
  const exchange = async ({ refresh_token }: Pick<Tokens, "refresh_token">) =>
    (await call(refresh, json({ refresh_token }))).json<Tokens>();
  const firstSeen = await lastSeenAt();
  expect(firstSeen).toBe(clock.now());
  advance(59);
  const second = await exchange(tokens);
  expect(await lastSeenAt()).toBe(firstSeen);
  advance(1);
  const foreignBody = { refresh_token: second.refresh_token, company_id: company.id + 1 };
  expect((await call(refresh, json(foreignBody))).status).toBe(403);
  expect(await lastSeenAt()).toBe(firstSeen);
  const third = await exchange(second);
  const rotated = await lastSeenAt();
  expect(rotated).toBe(Date.parse("2027-03-18T00:00:00Z"));
  advance(3600);
  const fourth = await exchange(third);
  expect(await lastSeenAt()).toBe(rotated);
  advance(7 * 86_400 + 1);
  expect((await call(refresh, json({ refresh_token: fourth.refresh_token }))).status).toBe(401);
  expect(await lastSeenAt()).toBe(rotated);
});

describe("logout", () => {
  it("ends the session immediately for bearer and refresh token, and is idempotent", async () => {
    const { tokens, call, withBearer } = await signedIn();
    const headers = withBearer(tokens.access_token);
    expect(await (await call("/api/v1/logout", { method: "POST", headers })).json()).toEqual({ success: true });
    expect((await call("/api/v1/logout", { method: "POST", headers })).status).toBe(200);
    expect(await code(await call("/api/v1/user", { headers }))).toEqual([401, "token_invalid"]);
    expect(await code(await call(refresh, json({ refresh_token: tokens.refresh_token })))).toEqual([
      401,
      "token_invalid",
    ]);
  });

  it("accepts a refresh token alone, ends every session of the user with `all`, and requires a credential", async () => {
    const { tokens, call, env, mailbox, company, email, withBearer } = await signedIn();
    const second = await signIn(env, mailbox, company, email);
    expect((await call("/api/v1/logout", json({ refresh_token: tokens.refresh_token }))).status).toBe(200);
    expect((await call("/api/v1/user", { headers: withBearer(second.access_token) })).status).toBe(200);
    const third = await signIn(env, mailbox, company, email);
    expect((await call("/api/v1/logout", json({ all: true }, withBearer(third.access_token)))).status).toBe(200);
    expect((await call("/api/v1/user", { headers: withBearer(second.access_token) })).status).toBe(401);
    expect(await code(await call("/api/v1/logout", json({})))).toEqual([401, "unauthorized"]);
    expect(await code(await call("/api/v1/logout", json({ refresh_token: "bad" })))).toEqual([401, "token_invalid"]);
    expect((await call("/api/v1/logout", json({ all: "yes" }))).status).toBe(400);
  });

  it("ends all sessions by a current refresh token or the previous one within the grace period, never by an older one", async () => {
    const { tokens, call, env, mailbox, company, email, withBearer } = await signedIn();
    const exchange = async ({ refresh_token }: Pick<Tokens, "refresh_token">) =>
      (await call(refresh, json({ refresh_token }))).json<Tokens>();
    const endAll = ({ refresh_token }: Pick<Tokens, "refresh_token">, bearer?: string) =>
      call("/api/v1/logout", json({ refresh_token, all: true }, bearer === undefined ? {} : withBearer(bearer)));
    const statusOf = async ({ access_token }: Tokens) =>
      (await call("/api/v1/user", { headers: withBearer(access_token) })).status;
    const reuses = async () =>
      (await entriesOf(company.id)).filter(({ event_type }) => event_type === "identity.auth.session.reuse_detected");
    const session = await signIn(env, mailbox, company, email);
    const second = await exchange(tokens);
    const third = await exchange(second);
    // The token is two rotations old, so only its own session ends, as at a refresh.
    expect(await code(await endAll(tokens))).toEqual([401, "refresh_token_reused"]);
    expect([await statusOf(third), await statusOf(session)]).toEqual([401, 200]);
    expect(await reuses()).toHaveLength(1);
    // This sends the previous token after its grace period.
    const other = await signIn(env, mailbox, company, email);
    await exchange(other);
    advance(31);
    expect(await code(await endAll(other))).toEqual([401, "refresh_token_reused"]);
    expect([await statusOf(session), (await reuses()).length]).toEqual([200, 2]);
    // A valid bearer ends all sessions, whatever refresh token is in the body.
    const bearerSession = await signIn(env, mailbox, company, email);
    expect((await endAll(tokens, bearerSession.access_token)).status).toBe(200);
    expect([await statusOf(bearerSession), await statusOf(session)]).toEqual([401, 401]);
    // This sends the previous token within its grace period.
    const [last, otherSession] = [
      await signIn(env, mailbox, company, email),
      await signIn(env, mailbox, company, email),
    ];
    await exchange(last);
    expect((await endAll(last)).status).toBe(200);
    expect(await statusOf(otherSession)).toBe(401);
  });
});

describe("bearer tokens", () => {
  it("are rejected with the code and challenge of each failed check", async () => {
    const { tokens, call, withBearer, email, company } = await signedIn();
    const withoutBearer = await call("/api/v1/user");
    expect(withoutBearer.headers.get("www-authenticate")).toBe('Bearer realm="platform"');
    expect(await code(withoutBearer)).toEqual([401, "unauthorized"]);
    const bad = await call("/api/v1/user", { headers: withBearer(`${tokens.access_token}x`) });
    expect(bad.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(await code(bad)).toEqual([401, "token_invalid"]);
    await changeCompany(company.id, { is_active: false });
    expect(await code(await call("/api/v1/user", { headers: withBearer(tokens.access_token) }))).toEqual([
      403,
      "access_denied",
    ]);
    await changeCompany(company.id, { is_active: true });
    await deleteRows(memberships, eq(memberships.user_id, (await findUserByEmail(email))?.id ?? 0));
    expect(await code(await call("/api/v1/user", { headers: withBearer(tokens.access_token) }))).toEqual([
      401,
      "token_invalid",
    ]);
    advance(301);
    expect(await code(await call("/api/v1/user", { headers: withBearer(tokens.access_token) }))).toEqual([
      401,
      "token_invalid",
    ]);
  });
});

it("rejects a bearer token with a header, claim or signature that the service did not issue", async () => {
  const { tokens, env, call, withBearer } = await signedIn();
  const key = await importPKCS8(String(env.JWT_PRIVATE_KEY).replaceAll("\\n", "\n"), "RS256");
  const { privateKey: stranger } = await generateKeyPair("RS256");
  const header = { ...decodeProtectedHeader(tokens.access_token), alg: "RS256" };
  const claims = decodeJwt(tokens.access_token);
  const sign = (change: object, signingKey: CryptoKey = key, head: object = {}) =>
    new SignJWT({ ...claims, ...change }).setProtectedHeader({ ...header, ...head }).sign(signingKey);
  const [, payload = ""] = tokens.access_token.split(".");
  const unsignedHeader = btoa(JSON.stringify({ alg: "none", kid: header.kid })).replace(/=+$/, "");
  const secret = new TextEncoder().encode("x".repeat(32));
  expect((await call("/api/v1/user", { headers: withBearer(await sign({})) })).status).toBe(200);
  const rejectedTokens = [
    "a b",
    "x",
    'x"y',
    `${unsignedHeader}.${payload}.`,
    tokens.refresh_token,
    await sign({}, stranger),
    await sign({}, key, { kid: "other" }),
    await new SignJWT(claims).setProtectedHeader({ ...header, alg: "HS256" }).sign(secret),
    ...(await Promise.all(
      [
        { iss: "https://id.example" },
        { aud: "other" },
        { exp: 1 },
        { exp: undefined },
        { token_type: "refresh" },
        { sub: "0" },
        { sub: 7 },
        { company_id: "1" },
        { company_id: 999_999 },
        { sid: crypto.randomUUID() },
        { sid: 1 },
        { sid: undefined },
        { pat_id: crypto.randomUUID() },
        { auth_time: "1" },
      ].map((change) => sign(change)),
    )),
  ];
  for (const token of rejectedTokens) {
    const response = await call("/api/v1/user", { headers: withBearer(token) });
    expect([...(await code(response)), token]).toEqual([401, "token_invalid", token]);
  }
});

describe("auth methods and public settings", () => {
  it("lets only owners and staff change the auth methods of their company, with immediate effect", async () => {
    const { env, mailbox, company, call, withBearer, tokens } = await signedIn();
    const other = await createCompany();
    const ownerEmail = freshEmail();
    const staffEmail = freshEmail();
    await createUser({ email: ownerEmail, company: company.id, owner: true });
    await createUser({ email: staffEmail, company: company.id, staff: true });
    const owner = withBearer((await signIn(env, mailbox, company, ownerEmail)).access_token);
    const staff = withBearer((await signIn(env, mailbox, company, staffEmail)).access_token);
    const path = "/api/v1/auth-methods";
    expect(await (await call(path, { headers: owner })).json()).toEqual({
      enable_magic_link: true,
      magic_link_effective: true,
      magic_link_globally_enabled: true,
      notify_new_device: false,
      enable_oauth: false,
      oauth_providers: [],
      methods: ["magic_link"],
      warnings: [],
    });
    expect(await code(await call(path, { headers: withBearer(tokens.access_token) }))).toEqual([403, "forbidden"]);
    const patch = (body: unknown, headers: Record<string, string>, query = "") =>
      call(`${path}${query}`, { ...json(body, headers), method: "PATCH" });
    expect(await code(await patch({ enable_magic_link: false }, owner, `?company_id=${other.id}`))).toEqual([
      403,
      "company_mismatch",
    ]);
    expect(await code(await patch({ enable_magic_link: false }, staff, "?company_id=99999999"))).toEqual([
      404,
      "not_found",
    ]);
    expect(await (await patch({}, owner)).json()).toMatchObject({ field_errors: { enable_magic_link: ["required"] } });
    expect(await (await patch({ enable_magic_link: "no" }, owner)).json()).toMatchObject({
      field_errors: { enable_magic_link: ["invalid"] },
    });
    expect(await (await patch({ enable_magic_link: false, confirm: true }, owner)).json()).toMatchObject({
      magic_link_effective: false,
      methods: [],
    });
    expect(await (await call(`/api/v1/settings?company_id=${company.id}`)).json()).toEqual({
      methods: [],
      oauthProviders: [],
      enable_oauth: false,
      enable_magic_link: false,
      sign_in_code: false,
    });
    const unknown = await (await call("/api/v1/settings?company_id=99999999")).json();
    expect(unknown).toEqual(await (await call(`/api/v1/settings?company_id=${company.id}`)).json());
    expect(await code(await call("/api/v1/settings"))).toEqual([400, "validation_failed"]);
    expect((await call("/api/v1/settings", { headers: owner })).status).toBe(200);
  });
});
