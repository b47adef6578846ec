import { expect, it, vi } from "vitest";
import { lane_states } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import { credentialsAad } from "../../../workers/email/delivery/sender/credentials";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import {
  API_KEY,
  apiProvider,
  invalidFields,
  PROVIDER_PATH,
  type PublicProvider,
  startProvider,
} from "../../support/email/company-provider";
import { startEmail } from "../../support/email/email";
import { insertRow } from "../../support/email/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const relay = { host: "8.8.8.8", port: 465, username: "mailer", password: "pass-word-1234", use_ssl: true };
const smtp = { provider: "smtp", from_email: "hello@aster.example.com", credentials: relay };

it("returns every field of the provider while nothing is configured", async () => {
  const { show, companyId } = await startProvider();
  expect(await show()).toEqual({
    company_id: companyId,
    configured: false,
    configuration_error: null,
    provider: null,
    from_email: "no-reply@platform.example.com",
    from_name: "",
    sending_domain: "",
    sending_domain_record: null,
    bulk_from_email: "news@platform.example.com",
    reply_to: "",
    optional_tags: [],
    credentials_hint: "",
    webhook_configured: false,
    webhook_hint: "",
    webhook_path: `/api/v1/provider-webhooks/api/events?company_id=${companyId}`,
    fallback_provider: "api",
    platform_transport: "api",
    fallback_configured: true,
    smtp_allowed: false,
    auth_link_hosts: ["localhost", "127.0.0.1", "auth.example.com"],
    lanes: ["auth", "transactional", "bulk"].map((lane) => ({ lane, paused: false, reason: "", paused_at: null })),
    updated_at: null,
  });
});

it.each([
  [{ EMAIL_PLATFORM_TRANSPORT: "cloudflare" }, "", "cloudflare", true],
  [{ EMAIL_PLATFORM_TRANSPORT: "smtp" }, "", "smtp", false],
  [{ EMAIL_PLATFORM_TRANSPORT: "cloudflare", EMAIL_FALLBACK_PROVIDER: "api" }, "api", "cloudflare", true],
  [{ EMAIL_PLATFORM_TRANSPORT: "cloudflare", EMAIL_FALLBACK_PROVIDER: "none" }, "none", "none", false],
  [{ EMAIL_FALLBACK_PROVIDER: "smtp" }, "smtp", "smtp", false],
  [{ PROVIDER_API_KEY: "" }, "none", "none", false],
])("returns the transport of the platform sender with %o", async (vars, fallback, transport, isConfigured) => {
  const { show } = await startProvider(vars);
  expect(await show()).toMatchObject({
    fallback_provider: fallback,
    platform_transport: transport,
    fallback_configured: isConfigured,
  });
});

it("does not offer the platform's transport to companies", async () => {
  const { put, show } = await startProvider({ EMAIL_PLATFORM_TRANSPORT: "cloudflare" });
  const response = await put({ ...apiProvider, provider: "cloudflare" });
  expect(await problemOf(response)).toEqual([400, "provider_not_available", { provider: ["not_available"] }]);
  expect(await show()).toMatchObject({ provider: null });
});

it("stores the provider's credentials encrypted and returns only hints", async () => {
  const { put, show, row, companyId, opened } = await startProvider();
  const lines: string[] = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  }
  const response = await put({
    ...apiProvider,
    from_name: " Aster Åabs 🌱 ",
    sending_domain: "Mail.Aster.example.com",
    bulk_from_email: "news@aster.example.com",
    reply_to: "help@aster.example.com",
    credentials: { api_key: API_KEY, other: "dropped" },
    webhook_secret: "whsec_c3VwZXItc2VjcmV0",
  });
  expect(response.status).toBe(200);
  const provider = (await response.json()) as PublicProvider;
  expect(provider).toMatchObject({
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
  expect(await show()).toEqual(provider);
  const stored = await row();
  const everything = JSON.stringify([provider, stored, lines]);
  expect(everything).not.toContain(API_KEY);
  expect(everything).not.toContain("c3VwZXItc2VjcmV0");
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ api_key: API_KEY });
});

it("keeps the provider fields that a PUT omits, and clears empty fields", async () => {
  const { put, row } = await startProvider();
  await put({
    ...apiProvider,
    from_name: "Aster",
    bulk_from_email: "news@aster.example.com",
    webhook_secret: "secret-12345",
  });
  const before = await row();
  const unchanged = (await (await put({ from_email: "other@aster.example.com" })).json()) as PublicProvider;
  expect(unchanged).toMatchObject({
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

it("keeps a replaced webhook secret until its overlap ends", async () => {
  const { put, row, companyId, opened } = await startProvider();
  const from_email = "a@aster.example.com";
  await put({ ...apiProvider, webhook_secret: "first-secret" });
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

it.each<[string, Record<string, unknown>, unknown[]]>([
  ["1 no provider", {}, invalidFields({ provider: ["required"] })],
  ["1 another provider", { provider: "ses" }, [400, "provider_not_available", { provider: ["not_available"] }]],
  ["2 no from", { provider: "api" }, invalidFields({ from_email: ["required"] })],
  ["2 empty from", { provider: "api", from_email: "", reply_to: 1 }, invalidFields({ from_email: ["required"] })],
  ["2 bad from", { provider: "api", from_email: "A <a@b.com>" }, invalidFields({ from_email: ["invalid_format"] })],
  [
    "2 header in from",
    { provider: "api", from_email: "a@b.com\r\nBcc: c@d.com" },
    invalidFields({ from_email: ["invalid_format"] }),
  ],
  [
    "3 all fields together",
    { ...valid, bulk_from_email: "x", reply_to: 5, from_name: "x".repeat(129), sending_domain: "-a.com" },
    invalidFields({
      bulk_from_email: ["invalid_format"],
      reply_to: ["invalid"],
      from_name: ["too_long"],
      sending_domain: ["invalid"],
    }),
  ],
  ["3 control character", { ...valid, from_name: "a\nb" }, invalidFields({ from_name: ["invalid"] })],
  [
    "3 long domain",
    { ...valid, sending_domain: `${"a.".repeat(130)}com` },
    invalidFields({ sending_domain: ["too_long"] }),
  ],
  [
    "4 platform addresses",
    { ...valid, from_email: "NO-REPLY@platform.example.com", bulk_from_email: "news@PLATFORM.example.com" },
    [403, "platform_sender_not_allowed", { from_email: ["platform_from"], bulk_from_email: ["platform_from"] }],
  ],
  ["5 smtp while off", { ...valid, provider: "smtp", credentials: 1 }, [400, "company_smtp_disabled"]],
  ["6 no credentials", valid, invalidFields({ credentials: ["required"] })],
  ["6 a list", { ...valid, credentials: [] }, invalidFields({ credentials: ["invalid"] })],
  ["7 no key", { ...valid, credentials: {} }, invalidFields({ "credentials.api_key": ["required"] })],
  ["7 a blank", { ...valid, credentials: { api_key: "a b" } }, invalidFields({ "credentials.api_key": ["invalid"] })],
  [
    "7 a long key",
    { ...valid, credentials: { api_key: "k".repeat(513) } },
    invalidFields({ "credentials.api_key": ["invalid"] }),
  ],
  ["10 empty base64", { ...apiProvider, webhook_secret: "whsec_" }, invalidFields({ webhook_secret: ["invalid"] })],
  ["10 bad base64", { ...apiProvider, webhook_secret: "whsec_a-b=" }, invalidFields({ webhook_secret: ["invalid"] })],
  [
    "10 a long secret",
    { ...apiProvider, webhook_secret: "s".repeat(257) },
    invalidFields({ webhook_secret: ["invalid"] }),
  ],
  ["10 a number", { ...apiProvider, webhook_secret: 5 }, invalidFields({ webhook_secret: ["invalid"] })],
  [
    "10 overlap",
    { ...apiProvider, webhook_overlap_hours: 169 },
    invalidFields({ webhook_overlap_hours: ["out_of_range"] }),
  ],
])(
  "rejects an invalid provider (number of the check in docs/specification/email-senders.md, fault): %s",
  async (_name, json, expected) => {
    const { put, show } = await startProvider();
    expect(await problemOf(await put(json))).toEqual(expected);
    expect((await show()).configured).toBe(false);
  },
);

it.each<[string, Record<string, unknown>, unknown[]]>([
  ["8 port", { port: "587" }, invalidFields({ "credentials.port": ["invalid"] })],
  ["8 port range", { port: 65_536 }, invalidFields({ "credentials.port": ["invalid"] })],
  ["8 port 25", { port: 25 }, invalidFields({ "credentials.port": ["not_allowed"] })],
  ["8 no TLS", { use_ssl: false }, invalidFields({ "credentials.use_tls": ["required"] })],
  ["8 flag", { use_tls: "yes" }, invalidFields({ "credentials.use_tls": ["invalid"] })],
  ["8 no password", { password: undefined }, invalidFields({ "credentials.password": ["required"] })],
  ["8 no username", { username: "" }, invalidFields({ "credentials.username": ["required"] })],
  ["8 control", { username: "a\r\nb" }, invalidFields({ "credentials.username": ["invalid"] })],
  ["9 no host", { host: "" }, [400, "provider_host_not_public", { "credentials.host": ["required"] }]],
  ...["127.0.0.1", "10.1.2.3", "localhost", "[::1]", "0x7f000001", "mail.internal", "a b", "mail.example.com/x"].map(
    (host): [string, Record<string, unknown>, unknown[]] => [
      `9 host ${host}`,
      { host },
      [400, "provider_host_not_public", { "credentials.host": ["not_public"] }],
    ],
  ),
])(
  "rejects an invalid relay (number of the check in docs/specification/email-senders.md, fault): %s",
  async (_name, change, expected) => {
    const { put } = await startProvider({
      EMAIL_ALLOW_COMPANY_SMTP: "true",
      DEBUG: "false",
      PUBLIC_BASE_URL: "https://mail.example.com",
      PROVIDER_API_URL: "https://api.example.com",
    });
    expect(await problemOf(await put({ ...smtp, credentials: { ...relay, ...change } }))).toEqual(expected);
  },
);

it("checks all addresses of a relay's host name", async () => {
  const { put, row, companyId, opened } = await startProvider({ EMAIL_ALLOW_COMPANY_SMTP: "true" });
  let addresses = ["93.184.215.14", "10.0.0.1"];
  vi.stubGlobal("fetch", async (input: URL) => {
    const isIpv4 = new URL(input).searchParams.get("type") === "A";
    const records = isIpv4 ? addresses.map((data) => ({ type: 1, data })) : [];
    return Response.json({ Status: 0, Answer: records });
  });
  const credentials = { ...relay, host: "Smtp.Aster.example.com", use_tls: true };
  const rejection = [400, "provider_host_not_public", { "credentials.host": ["not_public"] }];
  expect(await problemOf(await put({ ...smtp, credentials }))).toEqual(rejection);
  addresses = [];
  expect(await problemOf(await put({ ...smtp, credentials }))).toEqual(rejection);
  addresses = ["93.184.215.14"];
  const saved = await put({ ...smtp, credentials });
  expect(await saved.json()).toMatchObject({ provider: "smtp", credentials_hint: "••••1234", smtp_allowed: true });
  const stored = await row();
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ ...relay, host: "smtp.aster.example.com", use_tls: false });
});

it("requires credentials again when the provider changes", async () => {
  const { put } = await startProvider({ EMAIL_ALLOW_COMPANY_SMTP: "true" });
  await put(apiProvider);
  const { credentials: _none, ...change } = smtp;
  expect(await problemOf(await put(change))).toEqual(invalidFields({ credentials: ["required"] }));
  expect((await put(smtp)).status).toBe(200);
});

it("allows platform companies to use the platform's addresses", async () => {
  const { companyId } = await startProvider();
  const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: `1,${companyId}` } });
  const owner = await email.token({ companyId, isOwner: true, userId: companyId });
  const json = { ...apiProvider, from_email: "no-reply@platform.example.com" };
  expect((await send(email, owner, { method: "PUT", path: PROVIDER_PATH, json })).status).toBe(200);
});

it("ends a pause for rejected credentials when new ones are saved, but not a pause by staff", async () => {
  const { email, put, show, row, companyId } = await startProvider();
  const pause = (lane: Lane, fingerprint: string | null) =>
    insertRow(lane_states, {
      lane,
      company_id: companyId,
      scope: "company",
      paused: true,
      reason: "r",
      fingerprint,
      paused_at: 5,
    });
  await put(apiProvider);
  await pause("transactional", (await row())?.fingerprint ?? null);
  await pause("bulk", null);
  const paused = async () => ((await show()).lanes as { paused: boolean }[]).map((lane) => lane.paused);
  await put({ from_email: "b@aster.example.com" });
  expect(await paused()).toEqual([false, true, true]);
  const saved = (await (await put(apiProvider)).json()) as { lanes: unknown };
  expect(saved.lanes).toMatchObject([{ paused: false }, { paused: false }, { paused: true, reason: "r" }]);
  expect(await paused()).toEqual([false, false, true]);
  expect(email.queueMessages.bulk).toEqual([]);
});

it("stores exactly one of many parallel PUTs of the provider", async () => {
  const { put, show, row, companyId, opened } = await startProvider();
  const names = Array.from({ length: 8 }, (_unused, i) => `key-number-${i}`);
  const responses = await Promise.all(
    names.map((name) => put({ ...apiProvider, from_name: name, credentials: { api_key: name } })),
  );
  for (const response of responses) expect([200, 409]).toContain(response.status);
  const stored = await row();
  const sealed = await opened(stored?.credentials_enc ?? "", credentialsAad(companyId, stored?.seal_id ?? ""));
  expect(JSON.parse(sealed)).toEqual({ api_key: (await show()).from_name });
});

it("deletes the provider, and accepts a repeated deletion", async () => {
  const { email, owner, put, show } = await startProvider();
  await put(apiProvider);
  for (let i = 0; i < 2; i++) {
    const response = await send(email, owner, { method: "DELETE", path: PROVIDER_PATH });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  }
  expect(await show()).toMatchObject({ configured: false, provider: null, credentials_hint: "" });
});

it("keeps the providers of companies separate", async () => {
  const { email, put, companyId, staff } = await startProvider();
  await put(apiProvider);
  const stranger = await startCompany(email);
  const response = await email.call(PROVIDER_PATH, { bearer: stranger.owner });
  expect(await response.json()).toMatchObject({ company_id: stranger.companyId, configured: false });
  const byStaff = await email.call(`${PROVIDER_PATH}?company_id=${companyId}`, { bearer: staff });
  expect(await byStaff.json()).toMatchObject({ company_id: companyId, configured: true });
});

it("rejects callers who may not manage the provider, and documents PUT in the OpenAPI document", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PROVIDER_PATH });
  await expectGuards(email, { method: "PUT", path: PROVIDER_PATH, json: {} });
  await expectGuards(email, { method: "DELETE", path: PROVIDER_PATH });
  await expectGuards(email, { method: "POST", path: `${PROVIDER_PATH}/test-send` });
  const schema = (await (await email.call("/api/schema/")).json()) as {
    paths: Record<string, Record<string, { security?: unknown; responses: Record<string, unknown> }>>;
  };
  const put = schema.paths[PROVIDER_PATH]?.put;
  expect(put?.security).toEqual([{ bearerAuth: [] }]);
  expect(Object.keys(put?.responses ?? {})).toEqual(expect.arrayContaining(["200", "400", "401", "403", "409", "429"]));
});

it("rejects `api` on a deployment without a mail API, and reports why a stored `api` provider cannot send", async () => {
  const { email, owner, put } = await startProvider();
  expect((await put(apiProvider)).status).toBe(200);
  const bindings = { PROVIDER_API_URL: "", PROVIDER_API_KEY: "", EMAIL_HOST: "relay.example.com" };
  const response = await email.call(PROVIDER_PATH, { bearer: owner, bindings });
  expect(await response.json()).toMatchObject({
    configured: false,
    configuration_error: { error_code: "provider_not_configured", setting: "PROVIDER_API_URL" },
    provider: "api",
  });
  const call = (method: string, path: string, json: unknown) =>
    email.call(path, { method, bearer: owner, json, bindings });
  const rejected = await call("PUT", PROVIDER_PATH, { ...apiProvider, from_name: "Other" });
  expect(rejected.status).toBe(409);
  expect(await rejected.json()).toMatchObject({
    error_code: "provider_not_configured",
    field_errors: { provider: ["not_configured"] },
    setting: "PROVIDER_API_URL",
  });
  const test = await call("POST", `${PROVIDER_PATH}/test-send`, {});
  expect(await problemOf(test)).toEqual([409, "provider_not_configured"]);
});
