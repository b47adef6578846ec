import { eq } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { messages } from "../../../db/email/schema";
import { recipientSchema } from "../../../schemas/email/intake/send";
import { shownTrace } from "../../../workers/email/delivery/messages/stored-trace";
import { createCompany, createKey, magicLink, startEmail, storeSuppression } from "../../support/email/email";
import { countsOf } from "../../support/email/messages";
import { countRows, pauseLane, readRows } from "../../support/email/rows";

const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: "11,12,13,14" } });

async function post(json: unknown, bearer: string, path = "/api/v1/send") {
  const response = await email.call(path, { bearer, json });
  return { response, status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Returns the body of a transactional send of a company that may use the platform sender. */
function transactional(companyId: number, overrides: Record<string, unknown> = {}) {
  return {
    company_id: companyId,
    template_key: "identity.group.created",
    to: [{ email: `mina-${crypto.randomUUID()}@example.com` }],
    variables: { display_name: "Engineering" },
    ...overrides,
  };
}

describe("an accepted send", () => {
  it("may contain line breaks in a variable that no header uses", async () => {
    const { key } = await createKey();
    const values = { ...magicLink(createCompany()).variables, recipient_name: "Mina\nVale" };
    expect((await post(magicLink(createCompany(), { variables: values }), key)).status).toBe(202);
  });

  it.each([1, "1", "999999999999999", "68032181642063485063241441177669", "01", 0])(
    "may have the recipient's user id %j if and only if the OpenAPI document allows it",
    async (user_id) => {
      const { key } = await createKey();
      const to = { email: `mina-${crypto.randomUUID()}@example.com`, user_id };
      const { status } = await post(magicLink(createCompany(), { to: [to] }), key);
      expect(status).toBe(recipientSchema.safeParse(to).success ? 202 : 400);
    },
  );

  it.each(["Europe/Paris", "Asia/Calcutta", "", null, "Mars/Olympus", "+01:00", 60])(
    "may have the recipient's time zone %j if and only if it is an IANA name",
    async (time_zone) => {
      const { key } = await createKey();
      const to = { email: `mina-${crypto.randomUUID()}@example.com`, time_zone };
      const { status, body } = await post(magicLink(createCompany(), { to: [to] }), key);
      const isKnown = !["Mars/Olympus", "+01:00", 60].includes(time_zone ?? "");
      expect(status).toBe(isKnown ? 202 : 400);
      if (!isKnown) expect(body.field_errors).toEqual({ "to.0.time_zone": ["invalid"] });
    },
  );

  it("returns 202 with the seven fields of each message, in at most two round trips", async () => {
    const company = createCompany();
    const { key } = await createKey();
    await post(magicLink(createCompany()), key);
    const { response, status, body } = await post(magicLink(company, { idempotency_key: "k1" }), key);
    expect(status).toBe(202);
    expect(body).toEqual({
      idempotent_replay: false,
      messages: [
        {
          id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
          to: "Mina@example.com",
          status: "queued",
          lane: "auth",
          template_version: null,
          language: "en",
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
    });
    expect(email.acceptTripsOf(response)).toBeLessThanOrEqual(2);
  });

  it("stores the encrypted address and variables, a trace, and the count of the day", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const { body } = await post(magicLink(company), key);
    const id = (body.messages as { id: string }[])[0]?.id.slice(4) ?? "";
    const [row] = await readRows(messages, eq(messages.id, id));
    expect(row?.to_enc).toMatch(/^v1\./);
    expect(row?.to_masked).toBe("m***@example.com");
    expect(JSON.stringify(row)).not.toContain("secret-token");
    expect(JSON.stringify(row).toLowerCase()).not.toContain("mina@");
    expect(row?.default_checksum).toBeTruthy();
    expect(shownTrace(row?.trace ?? {})).toMatchObject({
      content: { source: "default", design: "barebone.activation", reason: "no_copy" },
      language: { value: "en", source: "default" },
      company_name: { source: "request" },
      sender: { scope: "platform", provider: "api" },
    });
    expect(Object.values(await countsOf(company))).toEqual([1]);
  });

  it("caps a long lifetime, and uses the event's lifetime by default", async () => {
    const { key } = await createKey();
    const lifetime = async (overrides: Record<string, unknown>) => {
      const before = Date.now();
      const { body } = await post(magicLink(createCompany(), overrides), key);
      const end = Date.parse((body.messages as { expires_at: string }[])[0]?.expires_at ?? "");
      return Math.round((end - before) / 1000);
    };
    expect(await lifetime({})).toBeLessThanOrEqual(122);
    expect(await lifetime({ ttl_seconds: 1_000_000 })).toBeGreaterThanOrEqual(300);
    expect(await lifetime({ ttl_seconds: 1_000_000 })).toBeLessThanOrEqual(302);
    expect(await lifetime({ ttl_seconds: 30 })).toBeLessThanOrEqual(32);
  });

  it("enqueues a wake-up message of its lane that contains ids and no content", async () => {
    const { key } = await createKey();
    const { body } = await post(transactional(11), key);
    const id = (body.messages as { id: string }[])[0]?.id.slice(4);
    const wakeUp = email.queueMessages.transactional?.find(({ ids }) => ids.includes(id ?? ""));
    expect(wakeUp).toEqual({ v: 1, kind: "send", company_id: 11, ids: [id], request_id: expect.any(String) });
  });

  it("stores but does not send a message for a suppressed or unsubscribed recipient outside the auth lane", async () => {
    const { key } = await createKey();
    const [a, b, c] = ["a", "b", "c"].map((name) => `${name}-${crypto.randomUUID()}@example.com`);
    await storeSuppression(12, a ?? "", { reason: "complaint" });
    await storeSuppression(12, b ?? "", { unsubscribed: "transactional" });
    const { status, body } = await post(transactional(12, { to: [{ email: a }, { email: b }, { email: c }] }), key);
    expect(status).toBe(202);
    expect((body.messages as { status: string }[]).map((item) => item.status)).toEqual([
      "suppressed",
      "suppressed",
      "queued",
    ]);
    expect(body.messages).toMatchObject([{ expires_at: null, template_version: null }, {}, {}]);
  });

  it("stores the company name of a request that uses the service key of identity, and uses it in later mail", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const nameless = magicLink(company, { variables: { magic_link_url: "https://auth.example.com/v" } });
    expect((await post(nameless, key)).body).toMatchObject({
      error_code: "validation_failed",
      field_errors: { "variables.company_name": ["required"] },
    });
    await post(magicLink(company), key);
    expect((await post(nameless, key)).status).toBe(202);
  });

  it("delivers before the response in sync mode", async () => {
    const sync = await startEmail({ vars: { EMAIL_DELIVER_SYNC: "true", PROVIDER_API_URL: "http://127.0.0.1:9" } });
    const { key } = await createKey();
    const response = await sync.call("/api/v1/send", { bearer: key, json: magicLink(createCompany()) });
    expect(response.status).toBe(202);
    const body = (await response.json()) as { messages: { status: string }[] };
    expect(["failed", "expired"]).toContain(body.messages[0]?.status);
  });

  it("writes no address, token or body into the log", async () => {
    const lines: string[] = [];
    const spies = (["log", "warn", "error", "info"] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line))),
    );
    const { key } = await createKey();
    await post(magicLink(createCompany()), key);
    await post(magicLink(createCompany(), { to: [{ email: "no address" }] }), key);
    for (const spy of spies) spy.mockRestore();
    expect(lines.join("\n")).not.toMatch(/mina|example\.com|secret-token|Aster|esk_/i);
  });
});

describe("the validation order of a send", () => {
  // Each request also contains all later faults, so only the order of the checks decides.
  const faults: [string, Record<string, unknown>, number, string, Record<string, string[]>?][] = [
    ["company_id is missing", { company_id: undefined }, 400, "validation_failed", { company_id: ["required"] }],
    ["company_id is text", { company_id: "1" }, 400, "validation_failed", { company_id: ["invalid"] }],
    ["company_id of another company", { company_id: 99 }, 403, "company_mismatch"],
    ["idempotency key is not text", { idempotency_key: 1 }, 400, "validation_failed", { idempotency_key: ["invalid"] }],
    ["idempotency key is blank", { idempotency_key: " " }, 400, "validation_failed", { idempotency_key: ["blank"] }],
    [
      "idempotency key is too long",
      { idempotency_key: "x".repeat(201) },
      400,
      "validation_failed",
      { idempotency_key: ["too_long"] },
    ],
    ["template is missing", { template_key: undefined }, 400, "validation_failed", { template_key: ["required"] }],
    ["template is unknown", { template_key: "identity.nothing" }, 404, "template_not_found"],
    ["internal template", { template_key: "broadcast" }, 404, "template_not_found"],
    ["lane is bulk", { lane: "bulk" }, 400, "lane_requires_campaign"],
    ["lane of another template", { lane: "transactional" }, 400, "template_lane_mismatch"],
    ["unknown lane", { lane: "slow" }, 400, "validation_failed", { lane: ["invalid"] }],
    ["to is missing", { to: undefined }, 400, "validation_failed", { to: ["required"] }],
    ["to is empty", { to: [] }, 400, "validation_failed", { to: ["required"] }],
    ["to is an object", { to: {} }, 400, "validation_failed", { to: ["invalid"] }],
    [
      "to has too many recipients",
      { to: Array.from({ length: 51 }, () => ({ email: "a@b.co" })) },
      400,
      "validation_failed",
      { to: ["too_many"] },
    ],
    ["recipient is text", { to: ["a@b.co"] }, 400, "validation_failed", { "to.0": ["invalid"] }],
    [
      "addresses are missing and invalid",
      { to: [{}, { email: "a@b" }, { email: "a@b.co" }] },
      400,
      "recipient_invalid",
      { "to.0.email": ["required"], "to.1.email": ["invalid_format"] },
    ],
    [
      "user id is invalid",
      { to: [{ email: "a@b.co", user_id: 0 }] },
      400,
      "validation_failed",
      { "to.0.user_id": ["invalid"] },
    ],
    ["language is unknown", { language: "de" }, 400, "language_not_available"],
    ["ttl_seconds is 0", { ttl_seconds: 0 }, 400, "validation_failed", { ttl_seconds: ["invalid"] }],
    ["variables are a list", { variables: [] }, 400, "validation_failed", { variables: ["invalid"] }],
    [
      "variables are too large",
      { variables: { recipient_name: "x".repeat(8192) } },
      400,
      "validation_failed",
      { variables: ["too_large"] },
    ],
    [
      "required variables are missing",
      { variables: {} },
      400,
      "validation_failed",
      { "variables.company_name": ["required"], "variables.magic_link_url": ["required"] },
    ],
    [
      "variable of the subject has control characters",
      { variables: { company_name: "A\r\nBcc: x@y.co", magic_link_url: "https://auth.example.com/v" } },
      400,
      "validation_failed",
      { "variables.company_name": ["invalid"] },
    ],
    [
      "host of the link is not allowed",
      { variables: { company_name: "A", magic_link_url: "https://evil.example/x" } },
      400,
      "variable_url_not_allowed",
      { "variables.magic_link_url": ["host_not_allowed"] },
    ],
    [
      "scheme of the link is not allowed",
      { variables: { company_name: "A", magic_link_url: "javascript:alert(1)" } },
      400,
      "variable_url_not_allowed",
      { "variables.magic_link_url": ["scheme_not_allowed"] },
    ],
  ];
  const order = faults.map(([name]) => name);

  it.each(faults)("rejects %s before all later faults", async (name, fault, status, code, fields) => {
    const company = createCompany();
    const { key } = await createKey({ companies: [company] });
    const later = Object.assign(
      {},
      ...faults
        .slice(order.indexOf(name) + 1)
        .map(([, other]) => other)
        .reverse(),
    );
    const laterKeys = Object.fromEntries(Object.entries(later).filter(([field]) => !isEarlier(field, name)));
    const body = { ...magicLink(company), ...laterKeys, ...fault };
    const response = await post(body, key);
    expect(response.status).toBe(status);
    expect(response.body.error_code).toBe(code);
    expect(response.body.field_errors).toEqual(fields);
    expect(response.body).not.toHaveProperty("message");
  });

  /** Returns whether the fault with this name, or an earlier one in the list, sets this field. */
  function isEarlier(field: string, name: string): boolean {
    const lastOfField = faults.findLastIndex(([, fault]) => field in fault);
    const firstOfField = faults.findIndex(([, fault]) => field in fault);
    return lastOfField <= order.indexOf(name) || firstOfField <= order.indexOf(name);
  }

  it("checks the credentials first, then size, media type and JSON, and then the fields", async () => {
    const { key } = await createKey();
    const call = (init: RequestInit, bearer?: string) =>
      email.call("/api/v1/send", {
        method: "POST",
        headers: { "content-type": "application/json" },
        ...init,
        ...(bearer ? { bearer } : {}),
      });
    const codes = await Promise.all([
      call({ body: "{" }),
      call({ body: "{" }, "esk_unknown"),
      call({ body: "{" }, key),
      call({ body: "[]" }, key),
      call({ body: "x", headers: { "content-type": "text/plain" } }, key),
      call({ body: "x".repeat(300_000) }, key),
      call({ body: `{"variables":${"[".repeat(100_000)}${"]".repeat(100_000)}}` }, key),
    ]);
    expect(codes.map(({ status }) => status)).toEqual([401, 401, 400, 400, 415, 413, 400]);
    expect(codes[0]?.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("restricts keys to their lanes and prefixes", async () => {
    const lane = await createKey({ lanes: ["transactional"] });
    const prefix = await createKey({ prefixes: ["identity.user."] });
    expect((await post(magicLink(createCompany()), lane.key)).body.error_code).toBe("lane_not_allowed");
    expect((await post(magicLink(createCompany()), prefix.key)).body.error_code).toBe("forbidden");
    const none = await createKey({ prefixes: [] });
    expect((await post(magicLink(createCompany()), none.key)).body.error_code).toBe("forbidden");
  });

  it.each([
    "identity.membership.requested",
    "identity.membership.enabled",
    "identity.action_rule.failing",
    "email.lane.paused",
    "hosting.deployment.failed",
  ])("sends %s of a company without a provider through the platform", async (template_key) => {
    const { key } = await createKey();
    const company_id = createCompany();
    const notice = { company_id, template_key, to: [{ email: "mina@example.com" }], variables: {} };
    expect((await post(notice, key)).status).toBe(202);
    expect((await post({ ...notice, use_platform_sender: true }, key)).status).toBe(202);
  });

  it("allows the platform sender only for identity and only on the auth lane", async () => {
    const identity = await createKey();
    const other = await createKey({ service: "storage", prefixes: ["identity."] });
    const options = { use_platform_sender: true };
    expect((await post(magicLink(createCompany(), options), other.key)).body.error_code).toBe("forbidden");
    expect((await post(transactional(13, options), identity.key)).body.field_errors).toEqual({
      use_platform_sender: ["not_allowed"],
    });
    expect((await post(magicLink(createCompany(), options), identity.key)).status).toBe(202);
  });

  it("rejects transactional mail of a company without a provider, and auth mail if the platform has no fallback provider either", async () => {
    const { key } = await createKey();
    expect((await post(transactional(createCompany()), key)).body.error_code).toBe("platform_sender_not_allowed");
    const none = await startEmail({ vars: { EMAIL_FALLBACK_PROVIDER: "none" } });
    const response = await none.call("/api/v1/send", { bearer: key, json: magicLink(createCompany()) });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error_code: "provider_not_configured" });
  });

  it("returns 409 with the retry time while a lane is paused for the company", async () => {
    const company = createCompany();
    const { key } = await createKey();
    await pauseLane("auth", company);
    const { response, status, body } = await post(magicLink(company), key);
    expect([status, body.error_code]).toEqual([409, "lane_paused"]);
    expect(response.headers.get("retry-after")).toBe("300");
  });

  it("rejects the whole auth send with 422 for a bounced recipient, but not for a complaint or unsubscribe", async () => {
    const company = createCompany();
    const { key } = await createKey();
    await storeSuppression(company, "complained@example.com", { reason: "complaint" });
    await storeSuppression(company, "left@example.com", { unsubscribed: "transactional" });
    await storeSuppression(company, "old@example.com", { reason: "hard_bounce", expiresAt: 1 });
    await storeSuppression(company, "bounced@example.com", { reason: "hard_bounce" });
    const names = ["complained", "left", "old"].map((name) => ({ email: `${name}@example.com` }));
    expect((await post(magicLink(company, { to: names }), key)).status).toBe(202);
    const { status, body } = await post(magicLink(company, { to: [...names, { email: "Bounced@Example.com" }] }), key);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error_code: "recipient_suppressed",
      field_errors: { "to.3.email": ["recipient_suppressed"] },
    });
    expect(await countRows(messages, eq(messages.company_id, company))).toBe(3);
  });

  it("returns 405 for other methods and 404 for unknown paths", async () => {
    const wrong = await email.call("/api/v1/send");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await email.call("/api/v1/sends")).status).toBe(404);
  });
});
