import { and, eq, notLike } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { action_deliveries, event_log } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { createNetwork, type Received } from "../../../support/net/network";
import { companyPartOf, eventType, setUpWebhooks } from "../../../support/webhooks/api";
import { changeRule, countRows, eventsWhere, findRule } from "../../../support/webhooks/rows";

const systemNow = clock.now;
let network: ReturnType<typeof createNetwork>;
beforeEach(() => {
  network = createNetwork();
});
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

const HOUR = 3_600_000;

/** Returns whether an independent library verifies the request with the secret. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret, secret.startsWith("whsec_") ? {} : { format: "raw" }).verify(body, {
      "webhook-id": headers.get("webhook-id") ?? "",
      "webhook-timestamp": headers.get("webhook-timestamp") ?? "",
      "webhook-signature": headers.get("webhook-signature") ?? "",
    });
    return true;
  } catch {
    return false;
  }
}

async function setUp(fields: Record<string, unknown> = {}) {
  const set = await setUpWebhooks();
  const rule = await set.createRule(fields);
  const test = async () => {
    const response = await set.call("POST", `/rules/${rule.id}/send-test`);
    return { ...response, sent: network.received.at(-1) as Received };
  };
  const rotate = (body?: object) => set.call("POST", `/rules/${rule.id}/rotate-secret`, body);
  return { ...set, rule, test, rotate };
}

describe("rotating a signing secret", () => {
  it("returns a new secret, which is then the only one that signs", async () => {
    const { rule, rotate, test, call } = await setUp();
    const { status, body } = await rotate();
    expect(status).toBe(200);
    const { secret, ...details } = body;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(rule.secret);
    expect(details).toEqual((await call("GET", `/rules/${rule.id}`)).body);
    expect(details.config).toMatchObject({ previous_secret_expires_at: null, secret_hint: String(secret).slice(-4) });
    const { sent } = await test();
    expect(sent.headers.get("webhook-signature")).toMatch(/^v1,[^ ]+$/);
    expect([isSigned(sent, String(secret)), isSigned(sent, rule.secret)]).toEqual([true, false]);
  });

  it("signs with both secrets during an overlap, the new one first, and then only with the new one", async () => {
    const { rule, rotate, test, call } = await setUp();
    const now = systemNow();
    clock.now = () => now;
    const { body } = await rotate({ overlap_hours: 1, secret: "a new plain secret" });
    expect(body).toMatchObject({
      secret: "a new plain secret",
      config: { previous_secret_expires_at: new Date(now + HOUR).toISOString(), secret_hint: "cret" },
    });
    const { sent } = await test();
    expect(sent.headers.get("webhook-signature")).toMatch(/^v1,[^ ]+ v1,[^ ]+$/);
    expect([isSigned(sent, "a new plain secret"), isSigned(sent, rule.secret)]).toEqual([true, true]);
    const [first] = (sent.headers.get("webhook-signature") ?? "").split(" ");
    const withOneSignature = { ...sent, headers: new Headers([...sent.headers, ["webhook-signature", ""]]) };
    withOneSignature.headers.set("webhook-signature", first ?? "");
    expect(isSigned(withOneSignature, "a new plain secret")).toBe(true);
    // Changes the end of the overlap to the current time, because the owner's session would expire before the real end.
    await changeRule(rule.id, { previous_secret_expires_at: now });
    const later = (await test()).sent;
    expect(later.headers.get("webhook-signature")).toMatch(/^v1,[^ ]+$/);
    expect((await call("GET", `/rules/${rule.id}`)).body.config).toMatchObject({ previous_secret_expires_at: null });
  });

  it("removes the oldest secret at a second rotation", async () => {
    const { rule, rotate, test } = await setUp();
    const second = String((await rotate({ overlap_hours: 168 })).body.secret);
    const third = String((await rotate({ overlap_hours: 1 })).body.secret);
    const { sent } = await test();
    expect([rule.secret, second, third].map((secret) => isSigned(sent, secret))).toEqual([false, true, true]);
  });

  it("stores both secrets of two concurrent rotations, one as the current and one as the previous secret", async () => {
    const { rule, rotate, test } = await setUp();
    const responses = await Promise.all([rotate({ overlap_hours: 1 }), rotate({ overlap_hours: 1 })]);
    const secrets = responses.map(({ body }) => String(body.secret));
    const { sent } = await test();
    expect(secrets.map((secret) => isSigned(sent, secret))).toEqual([true, true]);
    expect(isSigned(sent, rule.secret)).toBe(false);
  });

  it("resets the health of the rule", async () => {
    const { rule, rotate } = await setUp();
    await changeRule(rule.id, { failing_since: 1, last_failure_at: 1, last_success_at: 1 });
    expect((await rotate()).body).toMatchObject({ health: "unknown", last_success_at: null, last_failure_at: null });
  });

  it("works without an overlap when the old secret cannot be decrypted", async () => {
    const { rule, rotate } = await setUp();
    await changeRule(rule.id, { secret_enc: "v1.00000000.AAAA.AAAA" });
    const { status, body } = await rotate({ overlap_hours: 2 });
    expect([status, body.config]).toMatchObject([200, { previous_secret_expires_at: null }]);
  });

  it.each<[object, Record<string, string[]>]>([
    [{ overlap_hours: -1 }, { overlap_hours: ["out_of_range"] }],
    [{ overlap_hours: 169 }, { overlap_hours: ["out_of_range"] }],
    [{ overlap_hours: 1.5 }, { overlap_hours: ["invalid"] }],
    [{ overlap_hours: "1" }, { overlap_hours: ["invalid"] }],
    [
      { overlap_hours: 169, secret: 1 },
      { overlap_hours: ["out_of_range"], secret: ["invalid"] },
    ],
    [{ secret: "whsec_" }, { secret: ["invalid"] }],
    [
      { secret: "x".repeat(257), overlap_hours: 200 },
      { overlap_hours: ["out_of_range"], secret: ["invalid"] },
    ],
  ])("rejects %j", async (body, field_errors) => {
    const { rule, code } = await setUp();
    expect(await code("POST", `/rules/${rule.id}/rotate-secret`, body)).toEqual([
      400,
      "validation_failed",
      field_errors,
    ]);
  });
});

describe("a test delivery of a rule", () => {
  it("posts a signed sample with a new id only to this rule, and stores nothing", async () => {
    const { company, rule, test, createRule } = await setUp({ authorization_header: "Bearer t0ken-value" });
    await createRule({ url: "https://other.example.com/" });
    network.answer = () => new Response(null, { status: 204 });
    const { status, body, sent } = await test();
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        webhook_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event_type: eventType,
        http_status: 204,
        duration_ms: expect.any(Number),
      },
    ]);
    expect(network.received).toHaveLength(1);
    expect(sent.url).toBe("https://hooks.example.com/x");
    expect(sent.redirect).toBe("manual");
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "user-agent": "platform-identity-webhooks/1.0",
      "webhook-id": body.webhook_id,
      "x-platform-event": eventType,
      "x-platform-delivery-attempt": "1",
      authorization: "Bearer t0ken-value",
    });
    expect(sent.headers.has("x-request-id")).toBe(false);
    expect(isSigned(sent, rule.secret)).toBe(true);
    const envelope = JSON.parse(sent.body);
    const companyPart = await companyPartOf(company.id);
    expect(envelope).toMatchObject({
      id: body.webhook_id,
      type: eventType,
      company: companyPart,
      data: { email: "mina@example.com" },
    });
    expect(envelope.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(sent.body.startsWith('{"company":{"id":')).toBe(true);
    expect((await test()).body.webhook_id).not.toBe(body.webhook_id);
    expect(await countRows(action_deliveries, eq(action_deliveries.company_id, company.id))).toBe(0);
    const isOtherType = notLike(event_log.event_type, "identity.action_rule.%");
    expect(await eventsWhere(and(eq(event_log.company_id, company.id), isOtherType))).toEqual([]);
    expect((await findRule(rule.id)).last_success_at).toBeNull();
  });

  it.each<[string, () => Response | Promise<Response>, object]>([
    [
      "a rejection",
      () => new Response("no", { status: 500 }),
      { http_status: 500, error_code: "http_status", error_message: "HTTP 500: no" },
    ],
    [
      "a redirect",
      () => Response.redirect("https://elsewhere.example.com/", 302),
      { http_status: 302, error_code: "redirect_blocked" },
    ],
    [
      "a host that refuses connections",
      () => Promise.reject(new TypeError("refused")),
      { http_status: null, error_code: "connection_error" },
    ],
    ["a timeout", () => new Promise<Response>(() => undefined), { http_status: null, error_code: "timeout" }],
  ])("reports %s", async (_case, answer, result) => {
    const set = await setUpWebhooks({ ACTIONS_WEBHOOK_TIMEOUT_SECONDS: "1" });
    const { id } = await set.createRule();
    network.answer = answer;
    const { status, body } = await set.call("POST", `/rules/${id}/send-test`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error_code: "webhook_test_failed", result });
    expect(Object.keys(body.result as object).sort()).toEqual([
      "duration_ms",
      "error_code",
      "error_message",
      "http_status",
    ]);
    expect((await findRule(id)).failing_since).toBeNull();
  });

  it("removes the secret and the Authorization value from what a target returns", async () => {
    const { rule, test } = await setUp({ authorization_header: "Bearer t0ken-value" });
    network.answer = ({ headers }) => new Response(`${rule.secret} ${headers.get("authorization")}`, { status: 400 });
    const { body } = await test();
    expect(JSON.stringify(body)).not.toMatch(/t0ken-value/);
    expect(JSON.stringify(body)).not.toContain(rule.secret);
    expect(JSON.stringify(body)).toContain("[Filtered]");
  });

  it("fails for a name that has become private and for one without an address", async () => {
    const { test } = await setUp();
    network.names["hooks.example.com"] = ["127.0.0.1"];
    expect((await test()).body).toMatchObject({ result: { error_code: "ssrf_blocked", http_status: null } });
    network.names["hooks.example.com"] = [];
    expect((await test()).body).toMatchObject({ result: { error_code: "dns_error", http_status: null } });
    expect(network.received).toEqual([]);
  });

  it("is sent to a private target that staff allowed", async () => {
    const { company, staff, call } = await setUpWebhooks();
    const body = { name: "Bot", event_type: eventType, url: "http://10.0.0.7/x", allow_private_urls: true };
    const { id } = (await call("POST", `/rules?company_id=${company.id}`, body, staff.token)).body;
    expect((await call("POST", `/rules/${id}/send-test`)).status).toBe(200);
    expect(network.received.map(({ url }) => url)).toEqual(["http://10.0.0.7/x"]);
  });

  it("is rejected for a disabled rule, and fails when the secret cannot be decrypted", async () => {
    const { rule, code, call, test } = await setUp();
    await call("PATCH", `/rules/${rule.id}`, { enabled: false });
    expect(await code("POST", `/rules/${rule.id}/send-test`)).toEqual([409, "rule_disabled"]);
    await call("PATCH", `/rules/${rule.id}`, { enabled: true });
    await changeRule(rule.id, { secret_enc: "v1.00000000.AAAA.AAAA" });
    expect((await test()).body).toMatchObject({ result: { error_code: "secret_unavailable", http_status: null } });
    expect(network.received).toEqual([]);
  });

  it("contains the company of its rule when staff of another company request it", async () => {
    const { company, rule, call, staff } = await setUp();
    expect((await call("POST", `/rules/${rule.id}/send-test`, undefined, staff.token)).status).toBe(200);
    expect(JSON.parse(network.received.at(-1)?.body ?? "").company).toMatchObject({
      id: company.id,
      name: expect.any(String),
    });
  });

  it("is limited to ten per minute and company, and then returns 429 with a Retry-After", async () => {
    const { rule, call, createRule } = await setUp();
    const second = await createRule();
    const responses = await Promise.all(
      Array.from({ length: 11 }, (_, n) => call("POST", `/rules/${n % 2 ? rule.id : second.id}/send-test`)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10);
    const rejected = responses.find(({ status }) => status === 429);
    expect(rejected?.body.error_code).toBe("rate_limited");
    expect(Number(rejected?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
