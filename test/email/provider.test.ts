import { afterEach, expect, it, vi } from "vitest";
import { keysOf } from "../../workers/email/keys";
import { credentialsAad } from "../../workers/email/rules/sender";
import { open } from "../../workers/kit/crypto/seal";
import { startEmail, testEnv } from "../support/email";
import { expectGuards, problemOf, send, startCompany } from "../support/email-admin";

const PATH = "/api/v1/provider";
const API_KEY = "re_company_key_9876";
const relay = { host: "8.8.8.8", port: 465, username: "mailer", password: "pass-word-1234", use_ssl: true };
const api = { provider: "api", from_email: "hello@aster.example.com", credentials: { api_key: API_KEY } };
const smtp = { provider: "smtp", from_email: "hello@aster.example.com", credentials: relay };

type Vars = NonNullable<Parameters<typeof startEmail>[0]>["vars"];
type Shown = Record<string, unknown>;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function start(vars: Vars = {}) {
  const email = await startEmail({ vars });
  const company = await startCompany(email);
  const put = (json: unknown, bearer = company.owner) => send(email, bearer, { method: "PUT", path: PATH, json });
  const show = async (bearer = company.owner) => (await (await email.call(PATH, { bearer })).json()) as Shown;
  const row = () =>
    testEnv.DB.prepare("SELECT * FROM company_providers WHERE company_id = ?").bind(company.companyId).first<{
      seal_id: string;
      credentials_enc: string;
      fingerprint: string;
      webhook_secret_enc: string | null;
      webhook_previous_enc: string | null;
      webhook_previous_expires_at: number | null;
    }>();
  const opened = async (enc: string, aad: string) => open(enc, (await keysOf(email.bindings)).credentials, aad);
  return { email, ...company, put, show, row, opened };
}

it("shows every key while nothing is configured", async () => {
  const { show, companyId } = await start();
  expect(await show()).toEqual({
    company_id: companyId,
    configured: false,
    provider: null,
    from_email: "no-reply@platform.example.com",
    from_name: "",
    sending_domain: "",
    bulk_from_email: "news@platform.example.com",
    reply_to: "",
    credentials_hint: "",
    webhook_configured: false,
    webhook_hint: "",
    webhook_path: `/api/v1/provider-webhooks/api/events?company_id=${companyId}`,
    fallback_provider: "api",
    fallback_configured: true,
    smtp_allowed: false,
    auth_link_hosts: ["localhost", "127.0.0.1", "auth.example.com"],
    lanes: ["auth", "transactional", "bulk"].map((lane) => ({ lane, paused: false, reason: "", paused_at: null })),
    updated_at: null,
  });
});

it("stores credentials sealed and shows hints only", async () => {
  const { put, show, row, companyId, opened } = await start();
  const lines: string[] = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  }
  const answer = await put({
    ...api,
    from_name: " Aster Åabs 🌱 ",
    sending_domain: "Mail.Aster.example.com",
    bulk_from_email: "news@aster.example.com",
    reply_to: "help@aster.example.com",
    credentials: { api_key: API_KEY, other: "dropped" },
    webhook_secret: "whsec_c3VwZXItc2VjcmV0",
  });
  expect(answer.status).toBe(200);
  const shown = (await answer.json()) as Shown;
  expect(shown).toMatchObject({
    configured: true,
    provider: "api",
    from_email: "hello@aster.example.com",
    from_name: "Aster Åabs 🌱",
    sending_domain: "mail.aster.example.com",
    bulk_from_email: "news@aster.example.com",
    reply_to: "help@aster.example.com",
    credentials_hint: "••••9876",
    webhook_configured: true,
    webhook_hint: "••••cmV0",
    updated_at: expect.stringMatching(/Z$/),
  });
  expect(await show()).toEqual(shown);
  const stored = await row();
  const everything = JSON.stringify([shown, stored, lines]);
  expect(everything).not.toContain(API_KEY);
  expect(everything).not.toContain("c3VwZXItc2VjcmV0");
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ api_key: API_KEY });
});

it("keeps what a PUT leaves out and clears what is empty", async () => {
  const { put, row } = await start();
  await put({ ...api, from_name: "Aster", bulk_from_email: "news@aster.example.com", webhook_secret: "secret-12345" });
  const before = await row();
  const kept = (await (await put({ from_email: "other@aster.example.com" })).json()) as Shown;
  expect(kept).toMatchObject({
    provider: "api",
    from_email: "other@aster.example.com",
    from_name: "Aster",
    bulk_from_email: "news@aster.example.com",
    credentials_hint: "••••9876",
    webhook_hint: "••••2345",
  });
  expect(await row()).toMatchObject({ credentials_enc: before?.credentials_enc, fingerprint: before?.fingerprint });
  const cleared = await put({
    from_email: "a@aster.example.com",
    from_name: "",
    bulk_from_email: "",
    webhook_secret: "",
  });
  expect(await cleared.json()).toMatchObject({ from_name: "", bulk_from_email: "", webhook_configured: true });
  const without = await put({ from_email: "a@aster.example.com", webhook_secret: null });
  expect(await without.json()).toMatchObject({ webhook_configured: false, webhook_hint: "" });
});

it("keeps a replaced webhook secret for its overlap", async () => {
  const { put, row, companyId, opened } = await start();
  const from_email = "a@aster.example.com";
  await put({ ...api, webhook_secret: "first-secret" });
  const before = Date.now();
  await put({ from_email, webhook_secret: "second-secret", webhook_overlap_hours: 2 });
  const stored = await row();
  const aad = (column: string) => `email:company_providers:${column}:${companyId}:${stored?.seal_id}`;
  expect(await opened(stored?.webhook_secret_enc ?? "", aad("webhook_secret_enc"))).toBe("second-secret");
  expect(await opened(stored?.webhook_previous_enc ?? "", aad("webhook_previous_enc"))).toBe("first-secret");
  expect(stored?.webhook_previous_expires_at).toBeGreaterThanOrEqual(before + 7_200_000);
  await put({ from_email, webhook_secret: "second-secret" });
  expect((await row())?.webhook_previous_enc).toBe(stored?.webhook_previous_enc);
  await put({ from_email, webhook_secret: "third-secret", webhook_overlap_hours: 0 });
  expect(await row()).toMatchObject({ webhook_previous_enc: null, webhook_previous_expires_at: null });
});

const valid = { provider: "api", from_email: "a@b.example.com" };
const fail = (fields: Record<string, string[]>) => [400, "validation_failed", fields];

it.each<[string, Record<string, unknown>, unknown[]]>([
  ["1 no provider", {}, fail({ provider: ["required"] })],
  ["1 another provider", { provider: "ses" }, [400, "provider_not_available", { provider: ["not_available"] }]],
  ["2 no from", { provider: "api" }, fail({ from_email: ["required"] })],
  ["2 empty from", { provider: "api", from_email: "", reply_to: 1 }, fail({ from_email: ["required"] })],
  ["2 bad from", { provider: "api", from_email: "A <a@b.com>" }, fail({ from_email: ["invalid_format"] })],
  [
    "2 header in from",
    { provider: "api", from_email: "a@b.com\r\nBcc: c@d.com" },
    fail({ from_email: ["invalid_format"] }),
  ],
  [
    "3 all fields together",
    { ...valid, bulk_from_email: "x", reply_to: 5, from_name: "x".repeat(129), sending_domain: "-a.com" },
    fail({
      bulk_from_email: ["invalid_format"],
      reply_to: ["invalid"],
      from_name: ["too_long"],
      sending_domain: ["invalid"],
    }),
  ],
  ["3 control character", { ...valid, from_name: "a\nb" }, fail({ from_name: ["invalid"] })],
  ["3 long domain", { ...valid, sending_domain: `${"a.".repeat(130)}com` }, fail({ sending_domain: ["too_long"] })],
  [
    "4 platform addresses",
    { ...valid, from_email: "NO-REPLY@platform.example.com", bulk_from_email: "news@PLATFORM.example.com" },
    [403, "platform_sender_not_allowed", { from_email: ["platform_from"], bulk_from_email: ["platform_from"] }],
  ],
  ["5 smtp while off", { ...valid, provider: "smtp", credentials: 1 }, [400, "company_smtp_disabled"]],
  ["6 no credentials", valid, fail({ credentials: ["required"] })],
  ["6 a list", { ...valid, credentials: [] }, fail({ credentials: ["invalid"] })],
  ["7 no key", { ...valid, credentials: {} }, fail({ "credentials.api_key": ["required"] })],
  ["7 a blank", { ...valid, credentials: { api_key: "a b" } }, fail({ "credentials.api_key": ["invalid"] })],
  [
    "7 a long key",
    { ...valid, credentials: { api_key: "k".repeat(513) } },
    fail({ "credentials.api_key": ["invalid"] }),
  ],
  ["10 empty base64", { ...api, webhook_secret: "whsec_" }, fail({ webhook_secret: ["invalid"] })],
  ["10 bad base64", { ...api, webhook_secret: "whsec_a-b=" }, fail({ webhook_secret: ["invalid"] })],
  ["10 a long secret", { ...api, webhook_secret: "s".repeat(257) }, fail({ webhook_secret: ["invalid"] })],
  ["10 a number", { ...api, webhook_secret: 5 }, fail({ webhook_secret: ["invalid"] })],
  ["10 overlap", { ...api, webhook_overlap_hours: 169 }, fail({ webhook_overlap_hours: ["out_of_range"] })],
])("refuses by check %s", async (_name, json, expected) => {
  const { put, show } = await start();
  expect(await problemOf(await put(json))).toEqual(expected);
  expect((await show()).configured).toBe(false);
});

it.each<[string, Record<string, unknown>, unknown[]]>([
  ["8 port", { port: "587" }, fail({ "credentials.port": ["invalid"] })],
  ["8 port range", { port: 65_536 }, fail({ "credentials.port": ["invalid"] })],
  ["8 port 25", { port: 25 }, fail({ "credentials.port": ["not_allowed"] })],
  ["8 no TLS", { use_ssl: false }, fail({ "credentials.use_tls": ["required"] })],
  ["8 flag", { use_tls: "yes" }, fail({ "credentials.use_tls": ["invalid"] })],
  ["8 no password", { password: undefined }, fail({ "credentials.password": ["required"] })],
  ["8 no username", { username: "" }, fail({ "credentials.username": ["required"] })],
  ["8 control", { username: "a\r\nb" }, fail({ "credentials.username": ["invalid"] })],
  ["9 no host", { host: "" }, [400, "provider_host_not_public", { "credentials.host": ["required"] }]],
  ...["127.0.0.1", "10.1.2.3", "localhost", "[::1]", "0x7f000001", "mail.internal", "a b", "mail.example.com/x"].map(
    (host): [string, Record<string, unknown>, unknown[]] => [
      `9 host ${host}`,
      { host },
      [400, "provider_host_not_public", { "credentials.host": ["not_public"] }],
    ],
  ),
])("refuses a relay by check %s", async (_name, change, expected) => {
  const { put } = await start({
    EMAIL_ALLOW_COMPANY_SMTP: "true",
    DEBUG: "false",
    PUBLIC_BASE_URL: "https://mail.example.com",
    PROVIDER_API_URL: "https://api.example.com",
  });
  expect(await problemOf(await put({ ...smtp, credentials: { ...relay, ...change } }))).toEqual(expected);
});

it("judges a relay's name by all of its addresses", async () => {
  const { put, row, companyId, opened } = await start({ EMAIL_ALLOW_COMPANY_SMTP: "true" });
  let addresses = ["93.184.215.14", "10.0.0.1"];
  vi.stubGlobal("fetch", async (input: URL) => {
    const isIpv4 = new URL(input).searchParams.get("type") === "A";
    const answers = isIpv4 ? addresses.map((data) => ({ type: 1, data })) : [];
    return Response.json({ Status: 0, Answer: answers });
  });
  const credentials = { ...relay, host: "Smtp.Aster.example.com", use_tls: true };
  const refused = [400, "provider_host_not_public", { "credentials.host": ["not_public"] }];
  expect(await problemOf(await put({ ...smtp, credentials }))).toEqual(refused);
  addresses = [];
  expect(await problemOf(await put({ ...smtp, credentials }))).toEqual(refused);
  addresses = ["93.184.215.14"];
  const saved = await put({ ...smtp, credentials });
  expect(await saved.json()).toMatchObject({ provider: "smtp", credentials_hint: "••••1234", smtp_allowed: true });
  const stored = await row();
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ ...relay, host: "smtp.aster.example.com", use_tls: false });
});

it("asks for credentials again when the provider changes", async () => {
  const { put } = await start({ EMAIL_ALLOW_COMPANY_SMTP: "true" });
  await put(api);
  const { credentials: _none, ...change } = smtp;
  expect(await problemOf(await put(change))).toEqual(fail({ credentials: ["required"] }));
  expect((await put(smtp)).status).toBe(200);
});

it("lets a company of the platform list use the platform addresses", async () => {
  const { companyId } = await start();
  const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: `1,${companyId}` } });
  const owner = await email.token({ companyId, isOwner: true, userId: companyId });
  const json = { ...api, from_email: "no-reply@platform.example.com" };
  expect((await send(email, owner, { method: "PUT", path: PATH, json })).status).toBe(200);
});

it("ends pauses by refused credentials when new ones come, never those of staff", async () => {
  const { email, put, show, row, companyId } = await start();
  const pause = (lane: string, fingerprint: string | null) =>
    testEnv.DB.prepare("INSERT INTO lane_states VALUES (?, ?, 'company', 1, 'r', ?, 5, NULL)")
      .bind(lane, companyId, fingerprint)
      .run();
  await put(api);
  await pause("transactional", (await row())?.fingerprint ?? null);
  await pause("bulk", null);
  const paused = async () => ((await show()).lanes as { paused: boolean }[]).map((lane) => lane.paused);
  await put({ from_email: "b@aster.example.com" });
  expect(await paused()).toEqual([false, true, true]);
  const answer = (await (await put(api)).json()) as { lanes: unknown };
  expect(answer.lanes).toMatchObject([{ paused: false }, { paused: false }, { paused: true, reason: "r" }]);
  expect(await paused()).toEqual([false, false, true]);
  expect(email.doorbells.bulk).toEqual([]);
});

it("stores one of many parallel PUTs whole", async () => {
  const { put, show, row, companyId, opened } = await start();
  const names = Array.from({ length: 8 }, (_unused, i) => `key-number-${i}`);
  const answers = await Promise.all(
    names.map((name) => put({ ...api, from_name: name, credentials: { api_key: name } })),
  );
  for (const answer of answers) expect([200, 409]).toContain(answer.status);
  const stored = await row();
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ api_key: (await show()).from_name });
});

it("forgets the provider on DELETE, as often as asked", async () => {
  const { email, owner, put, show } = await start();
  await put(api);
  for (let i = 0; i < 2; i++) {
    const gone = await send(email, owner, { method: "DELETE", path: PATH });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
  }
  expect(await show()).toMatchObject({ configured: false, provider: null, credentials_hint: "" });
});

it("keeps companies apart", async () => {
  const { email, put, companyId, staff } = await start();
  await put(api);
  const stranger = await startCompany(email);
  const shown = await email.call(PATH, { bearer: stranger.owner });
  expect(await shown.json()).toMatchObject({ company_id: stranger.companyId, configured: false });
  const byStaff = await email.call(`${PATH}?company_id=${companyId}`, { bearer: staff });
  expect(await byStaff.json()).toMatchObject({ company_id: companyId, configured: true });
});

/** Records calls to the mail API and answers them. */
function stubMailApi(answer: () => Response) {
  const calls: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    calls.push({ url, headers: new Headers(init.headers), body: JSON.parse(String(init.body)) });
    return answer();
  });
  return calls;
}

it("sends a test by the company's credentials, to the caller by default", async () => {
  const { email, owner, put } = await start();
  await put({ ...api, from_name: "Aster" });
  const calls = stubMailApi(() => Response.json({ id: "p-1" }));
  const post = (headers: Record<string, string> = {}) =>
    email.call(`${PATH}/test-send`, { method: "POST", bearer: owner, headers });
  const answer = await post();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ status: "sent", provider: "api", provider_message_id: "p-1" });
  await post({ "accept-language": "fr" });
  expect(calls.map(({ body }) => body.subject)).toEqual(["Test message", "Message de test"]);
  expect(calls[0]?.body).toMatchObject({ from: '"Aster" <hello@aster.example.com>', to: ["owner@example.com"] });
  expect(calls[0]?.headers.get("authorization")).toBe(`Bearer ${API_KEY}`);
  expect(calls[0]?.headers.get("idempotency-key")).not.toBe(calls[1]?.headers.get("idempotency-key"));
});

it("sends a test by the platform while the company has no provider", async () => {
  const { email, staff, companyId } = await start();
  const calls = stubMailApi(() => Response.json({ id: "p-2" }));
  const json = { to: "Someone@Example.org" };
  const answer = await email.call(`${PATH}/test-send?company_id=${companyId}`, { bearer: staff, json });
  expect(answer.status).toBe(200);
  expect(calls[0]?.body).toMatchObject({
    from: '"Platform" <no-reply@platform.example.com>',
    to: ["Someone@example.org"],
  });
});

it("lets only staff choose who gets a test", async () => {
  const { email, owner, put } = await start();
  await put(api);
  stubMailApi(() => Response.json({ id: "p-3" }));
  const post = (json: unknown) => email.call(`${PATH}/test-send`, { bearer: owner, json });
  expect(await problemOf(await post({ to: "" }))).toEqual(fail({ to: ["required"] }));
  expect(await problemOf(await post({ to: "x" }))).toEqual(fail({ to: ["invalid_format"] }));
  expect(await problemOf(await post({ to: 1 }))).toEqual(fail({ to: ["invalid_format"] }));
  expect(await problemOf(await post({ to: "other@example.com" }))).toEqual([403, "forbidden"]);
  expect((await post({ to: "OWNER@example.com" })).status).toBe(200);
});

it("answers a refusal of the provider with its code, and pauses nothing", async () => {
  const { email, owner, put, show, companyId } = await start();
  await put(api);
  const post = () => email.call(`${PATH}/test-send`, { method: "POST", bearer: owner });
  const refused = (code: string) => [502, "provider_test_failed", { provider: [code] }];
  stubMailApi(() => new Response("bad key re_company_key_9876", { status: 401 }));
  expect(await problemOf(await post())).toEqual(refused("provider_unauthorized"));
  stubMailApi(() => new Response(null, { status: 422 }));
  expect(await problemOf(await post())).toEqual(refused("provider_rejected"));
  vi.stubGlobal("fetch", async () => Promise.reject(new TypeError("no route")));
  expect(await problemOf(await post())).toEqual(refused("provider_unreachable"));
  expect(((await show()).lanes as { paused: boolean }[]).some(({ paused }) => paused)).toBe(false);
  const messages = await testEnv.DB.prepare("SELECT id FROM messages WHERE company_id = ?").bind(companyId).all();
  expect(messages.results).toEqual([]);
});

it("has no test sender when neither company nor platform has credentials", async () => {
  const { email, owner } = await start({ EMAIL_FALLBACK_PROVIDER: "none" });
  const answer = await email.call(`${PATH}/test-send`, { method: "POST", bearer: owner });
  expect(await problemOf(answer)).toEqual([409, "provider_not_configured"]);
});

it("allows 10 tests per minute and company, counted before the body is judged", async () => {
  const { email, owner } = await start();
  const post = () => email.call(`${PATH}/test-send`, { bearer: owner, json: { to: "x" } });
  for (let i = 0; i < 10; i++) expect((await post()).status).toBe(400);
  const refused = await post();
  expect(await problemOf(refused)).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});

it("is for staff and owners, and its operations are in the OpenAPI document", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PATH });
  await expectGuards(email, { method: "PUT", path: PATH, json: {} });
  await expectGuards(email, { method: "DELETE", path: PATH });
  await expectGuards(email, { method: "POST", path: `${PATH}/test-send` });
  const schema = (await (await email.call("/api/schema/")).json()) as {
    paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown> }>>;
  };
  const put = schema.paths[PATH]?.put;
  expect(put?.security).toEqual([{ bearerAuth: [] }]);
  expect(Object.keys(put?.responses ?? {})).toEqual(expect.arrayContaining(["200", "400", "401", "403", "409", "429"]));
});
