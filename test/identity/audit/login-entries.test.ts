import { describe, expect, it } from "vitest";
import { auth_codes } from "../../../db/identity/schema";
import { redirectKey } from "../../../workers/identity/company/redirects/redirect-target";
import { clock } from "../../../workers/kit/clock";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
} from "../../support/identity/identity";
import { entriesOf, insertRow } from "../../support/identity/rows";

const verify = "/api/v1/magic-link/verify";
const client = {
  cf: { country: "FR", city: "Lyon" },
  ip: "203.0.113.77",
} as unknown as RequestInit & { ip: string };

async function setUp(options: Parameters<typeof createCompany>[0] = {}) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany(options);
  const email = freshEmail();
  const link = (overrides: Record<string, unknown> = {}) =>
    requestLink(env, mailbox, company, email, {
      client_timezone: "Europe/Paris",
      client_device_id: "laptop-7",
      ...overrides,
    });
  const call = (path: string, body: unknown) =>
    callIdentity(env, path, { ...json(body, { "user-agent": "Probe/1.0" }), ...client });
  const entries = async () =>
    (await entriesOf(company.id))
      .filter(({ outcome }) => outcome !== null)
      .map((entry) => ({ ...entry, data: JSON.parse(entry.data) as Record<string, unknown> }));
  return { env, mailbox, company, email, link, call, entries };
}

const clientData = {
  provider: "magic_link",
  user_agent: "Probe/1.0",
  client_timezone: "Europe/Paris",
  client_country: "FR",
  client_city: "Lyon",
};
const columns = { provider: "magic_link", country: "FR", city: "Lyon", timezone: "Europe/Paris" };

describe("audit entries of sign-ins", () => {
  it("stores hashes of IP address and device, user agent, location and time zone, and never the raw values", async () => {
    const { company, email, link, call, entries } = await setUp();
    const { token } = await link();
    expect((await call(verify, { token, company_id: company.id })).status).toBe(200);
    const [entry] = await entries();
    expect(entry).toMatchObject({
      event_type: "identity.auth.login.succeeded",
      user_email: email,
      outcome: "success",
      is_staff_at_event: false,
      ...columns,
    });
    expect(entry?.data).toEqual({
      ...clientData,
      is_staff_at_event: false,
      ip_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      client_device_id_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(entry)).not.toMatch(/203\.0\.113|laptop-7/);
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  it("truncates the user agent to 512 characters, and hashes the same IP address and device to the same values", async () => {
    const { company, link, env, entries } = await setUp();
    for (let attempt = 0; attempt < 2; attempt++) {
      const { token } = await link();
      const body = json({ token, company_id: company.id }, { "user-agent": "a".repeat(700) });
      await callIdentity(env, verify, { ...body, ...client });
    }
    const [first, second] = await entries();
    expect(String(first?.data.user_agent)).toHaveLength(512);
    expect([second?.data.ip_hash, second?.data.client_device_id_hash]).toEqual([
      first?.data.ip_hash,
      first?.data.client_device_id_hash,
    ]);
  });
});

describe("audit entries of rejected sign-ins", () => {
  it("records the error code and the client of the request for a link that is no longer valid", async () => {
    const { company, email, link, call, entries } = await setUp();
    await createUser({ email, company: company.id, staff: true });
    const { token } = await link();
    await call(verify, { token, company_id: company.id });
    expect((await call(verify, { token, company_id: company.id })).status).toBe(400);
    const [, entry] = await entries();
    expect(entry).toMatchObject({
      event_type: "identity.auth.login.failed",
      user_email: email,
      outcome: "failure",
      is_staff_at_event: true,
      ...columns,
    });
    expect(entry?.data).toMatchObject({
      ...clientData,
      failure_reason: "magic_link_invalid",
      is_staff_at_event: true,
      client_device_id_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  it("records a wrong typed code, with the email address if it belongs to a user", async () => {
    const { company, email, link, call, entries } = await setUp();
    await createUser({ email, company: company.id });
    await link();
    const wrong = await call(verify, { code: "2222-2222", email, company_id: company.id });
    expect([wrong.status, (await wrong.json<{ error_code: string }>()).error_code]).toEqual([
      400,
      "sign_in_code_invalid",
    ]);
    await call(verify, { code: "2222-2222", email: freshEmail(), company_id: company.id });
    const rejections = await entries();
    expect(rejections.map((entry) => [entry.data.failure_reason, entry.user_email])).toEqual([
      ["sign_in_code_invalid", email],
      ["sign_in_code_invalid", null],
    ]);
    expect(JSON.stringify(rejections)).not.toContain("2222");
  });

  it.each([
    ["access_pending", { access_mode: "invite" as const }],
    ["access_denied", { access_mode: "domain" as const, domains: ["elsewhere.example.com"] }],
  ])("records %s when the join rules reject the sign-in", async (code, options) => {
    const { company, email, link, call, entries } = await setUp(options);
    const { token } = await link();
    expect((await call(verify, { token, company_id: company.id })).status).toBe(403);
    const [entry] = await entries();
    expect([entry?.data.failure_reason, entry?.user_email]).toEqual([code, email]);
  });

  it("records nothing for an unknown company, and magic_link_disabled if the method is off", async () => {
    const { company, email, call, entries } = await setUp({ enable_magic_link: false });
    const stranger = "x".repeat(43);
    await call(verify, { token: stranger, company_id: company.id });
    await call(verify, { code: "2222-2222", email, company_id: company.id });
    expect((await entries()).map((entry) => entry.data.failure_reason)).toEqual([
      "magic_link_disabled",
      "magic_link_disabled",
    ]);
    const before = await entriesOf(88_888_888);
    await call(verify, { token: stranger, company_id: 88_888_888 });
    expect(await entriesOf(88_888_888)).toEqual(before);
  });

  it("records a wrong verifier and a used auth code, but not an unknown code", async () => {
    const { company, entries, call } = await setUp();
    // Verifier and challenge from RFC 7636, appendix B.
    const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const authCode = "c".repeat(43);
    const hash = await sha256Hex(authCode);
    const user = await createUser({ email: freshEmail(), company: company.id });
    const redirect = `${company.origin}/login/callback`;
    await insertRow(auth_codes, {
      code_hash: hash,
      user_id: user,
      company_id: company.id,
      provider: "magic_link",
      redirect_to: redirect,
      redirect_key: redirectKey(new URL(redirect)),
      code_challenge: challenge,
      auth_time: 1,
      client_context: { client_timezone: "Europe/Paris", client_device_id_hash: "d".repeat(64) },
      created_at: clock.now(),
      expires_at: clock.now() + 60_000,
    });
    const session = (code: string, proof: string) =>
      call("/api/v1/oauth/session", { auth_code: code, redirect_to: redirect, code_verifier: proof });
    expect((await session(authCode, "w".repeat(43))).status).toBe(400);
    expect((await session("u".repeat(43), "w".repeat(43))).status).toBe(400);
    expect((await session(authCode, verifier)).status).toBe(200);
    expect((await session(authCode, verifier)).status).toBe(400);
    const rejections = await entries();
    expect(rejections.map((entry) => entry.data.failure_reason ?? entry.outcome)).toEqual([
      "code_verifier_invalid",
      "success",
      "auth_code_invalid",
    ]);
    expect(rejections[0]?.data.client_device_id_hash).toBe("d".repeat(64));
    expect(JSON.stringify(rejections)).not.toContain(authCode);
  });
});

it("records which client presented a used refresh token", async () => {
  const { company, link, call, entries } = await setUp();
  const { token } = await link();
  const tokens = await (await call(verify, { token, company_id: company.id })).json<{ refresh_token: string }>();
  const refresh = () => call("/api/v1/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  await refresh();
  const base = clock.now;
  clock.now = () => base() + 31_000;
  expect((await refresh()).status).toBe(401);
  const reuse = (await entries()).at(-1);
  expect(reuse).toMatchObject({
    event_type: "identity.auth.session.reuse_detected",
    outcome: "failure",
    country: "FR",
    city: "Lyon",
    data: {
      provider: "magic_link",
      failure_reason: "refresh_token_reused",
      is_staff_at_event: false,
      user_agent: "Probe/1.0",
    },
  });
});

it("emits one event for an access request, with the user block and its own id", async () => {
  const { company, email, link, call } = await setUp({ access_mode: "invite" });
  for (let attempt = 0; attempt < 2; attempt++) {
    const { token } = await link();
    await call(verify, { token, company_id: company.id });
  }
  const rejections = await entriesOf(company.id, "identity.membership.requested");
  expect(rejections).toHaveLength(1);
  expect(rejections[0]?.id).toMatch(/^[0-9a-f]{8}-/);
  expect(JSON.parse(rejections[0]?.data ?? "")).toEqual({
    user_id: rejections[0]?.user_id,
    email,
    username: expect.any(String),
    source: "magic_link",
    language: "en",
    region: "UTC",
    access_state: "pending",
  });
});
