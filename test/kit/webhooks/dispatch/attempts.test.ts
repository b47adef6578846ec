import { beforeEach, describe, expect, it } from "vitest";
import { sign } from "../../../../workers/kit/webhooks/posting/signing-secret";
import { expectEndedByLimit, timed } from "../../../support/wall-clock";
import {
  forgetDeliveries,
  freshKey,
  hook,
  program,
  receivers,
  recorded,
  startWebhooks,
  textOf,
  type Webhooks,
} from "../../../support/webhooks/dispatch";
import { changeRule } from "../../../support/webhooks/rows";

const SECRET = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
const RUN = 4711;

beforeEach(forgetDeliveries);

/** Creates a webhook with a receiver, emits an event, and makes the first attempt. */
async function deliver(webhooks: Webhooks, url: string, rule: { secret?: string; authorization?: string } = {}) {
  const ruleId = await webhooks.addRule({ url, ...rule });
  const { eventId, ids } = await webhooks.emit();
  await webhooks.first(ids);
  const [delivery] = await webhooks.deliveries();
  const [attempt] = await webhooks.attempts();
  if (!delivery || !attempt) throw new Error("nothing was attempted");
  return { ruleId, eventId, delivery, attempt };
}

describe("the request of a webhook", () => {
  it("has the documented headers, and a signature that independent packages accept", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const { eventId } = await deliver(webhooks, hook("ok", key), { authorization: "Bearer for-the-receiver" });
    const [call] = await recorded(key, SECRET);
    expect(call).toMatchObject({ method: "POST", standardwebhooks: true, svix: true });
    expect(call?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "user-agent": "platform-identity-webhooks/1.0",
      "webhook-id": eventId,
      "x-platform-event": "identity.group.created",
      "x-platform-delivery-attempt": "1",
      authorization: "Bearer for-the-receiver",
    });
    expect(Math.abs(Number(call?.headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(20);
    expect(call?.headers).not.toHaveProperty("x-request-id");
    expect(call?.headers).not.toHaveProperty("cookie");
    const envelope = JSON.parse(textOf(call));
    expect(envelope).toMatchObject({ id: eventId, type: "identity.group.created", data: { display_name: "Ärzte" } });
    expect(envelope.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });

  it("is signed again at each attempt, with the same id and bytes and the run's request id", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await program(key, ["500", "ok"]);
    await deliver(webhooks, hook("program", key));
    webhooks.advance(30_000);
    await webhooks.retry({ runId: RUN });
    const [first, second] = await recorded(key, SECRET);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"])).toBeGreaterThan(
      28,
    );
    expect(second?.headers).toMatchObject({ "x-platform-delivery-attempt": "2", "x-request-id": `sjr-${RUN}` });
    expect([first?.svix, second?.svix]).toEqual([true, true]);
  });

  it("is sent to the rule's current URL with its current secret", async () => {
    const webhooks = startWebhooks();
    const [before, after] = [freshKey(), freshKey()];
    const { ruleId } = await deliver(webhooks, hook("500", before));
    const other = await webhooks.addRule({ url: hook("ok", after), secret: "another-plain-secret", enabled: false });
    const { url, host, secret_enc } = await webhooks.rule(other);
    await changeRule(ruleId, { url, host, secret_enc });
    webhooks.advance(30_000);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_succeeded: 1 });
    const [call] = await recorded(after);
    const id = call?.headers["webhook-id"] ?? "";
    const timestamp = Number(call?.headers["webhook-timestamp"]);
    expect(call?.headers["webhook-signature"]).toBe(
      await sign(["another-plain-secret"], { id, timestamp, body: textOf(call) }),
    );
  });
});

describe("the result of a webhook attempt", () => {
  const outcomes: [scenario: string, status: string, code: string | null, httpStatus: number | null, wait: number][] = [
    ["ok", "delivered", null, 200, 0],
    ["204", "delivered", null, 204, 0],
    ["400", "dead", "http_status", 400, 0],
    ["401", "dead", "http_status", 401, 0],
    ["403", "dead", "http_status", 403, 0],
    ["405", "dead", "http_status", 405, 0],
    ["410", "dead", "http_status", 410, 0],
    ["413", "dead", "http_status", 413, 0],
    ["422", "dead", "http_status", 422, 0],
    ["404", "failed", "http_status", 404, 30],
    ["408", "failed", "http_status", 408, 30],
    ["409", "failed", "http_status", 409, 30],
    ["425", "failed", "http_status", 425, 30],
    ["429", "failed", "http_status", 429, 30],
    ["418", "failed", "http_status", 418, 30],
    ["500", "failed", "http_status", 500, 30],
    ["503", "failed", "http_status", 503, 30],
    ["429-after-7", "failed", "http_status", 429, 7],
    ["503-after-0", "failed", "http_status", 503, 1],
    ["503-after-99999", "failed", "http_status", 503, 3600],
    ["500-after-7", "failed", "http_status", 500, 30],
    ["429-after-soon", "failed", "http_status", 429, 30],
    ["moved", "dead", "redirect_blocked", 301, 0],
    ["closed", "failed", "connection_error", null, 30],
  ];

  it.each(outcomes)("%s is %s (%s)", async (scenario, status, code, httpStatus, wait) => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const { delivery, attempt } = await deliver(webhooks, hook(scenario, key));
    expect(delivery).toMatchObject({
      status,
      attempt_count: 1,
      claim_count: 1,
      last_error_code: code,
      locked_until: null,
      lease_token: null,
    });
    if (status === "failed") expect(delivery.due_at - delivery.updated_at).toBe(wait * 1000);
    else expect(delivery.due_at - delivery.created_at).toBe(30_000);
    expect(delivery.delivered_at).toBe(status === "delivered" ? delivery.updated_at : null);
    expect(delivery.last_error === null).toBe(status === "delivered");
    expect(attempt).toMatchObject({
      status: status === "delivered" ? "success" : "failure",
      http_status: httpStatus,
      error_code: code,
      attempt_number: 1,
      requeue_count: 0,
      trigger: "dispatch",
      scheduled_job_run_id: null,
    });
    expect(await recorded(key)).toHaveLength(1);
    expect(await recorded("moved-target")).toEqual([]);
  });

  it("waits for an HTTP date of Retry-After", async () => {
    const webhooks = startWebhooks();
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 100_000).toUTCString();
    const { delivery } = await deliver(webhooks, hook(`429-after-${encodeURIComponent(date)}`, freshKey()));
    const wait = (delivery.due_at - delivery.updated_at) / 1000;
    expect(wait).toBeGreaterThan(90);
    expect(wait).toBeLessThanOrEqual(102);
  });

  it("is a timeout after the total time when nothing arrives, and when the headers arrive slowly", async () => {
    for (const scenario of ["never", "drippinghead"]) {
      const webhooks = startWebhooks({ settings: { timeoutMs: 1000 } });
      const [{ delivery, attempt }, took] = await timed(() => deliver(webhooks, hook(scenario, freshKey())));
      // The duration includes claiming, storing and reading.
      expectEndedByLimit(took, 1000, 3000);
      expect(delivery).toMatchObject({ status: "failed", last_error_code: "timeout" });
      expectEndedByLimit(attempt.duration_ms, 1000);
    }
  });

  it("depends only on the status line when the body arrives slowly, and the attempt takes no longer", async () => {
    const webhooks = startWebhooks({ settings: { timeoutMs: 1000 } });
    const { delivery, attempt } = await deliver(webhooks, hook("drip", freshKey()));
    expect(attempt).toMatchObject({ http_status: 500, error_code: "http_status" });
    expectEndedByLimit(attempt.duration_ms, 1000);
    expect(delivery.last_error).toMatch(/^HTTP 500: \.+$/);
    const other = startWebhooks({ settings: { timeoutMs: 1000 } });
    const { delivery: accepted } = await deliver(other, hook("dripok", freshKey()));
    expect(accepted).toMatchObject({ status: "delivered", last_error: null });
  });

  it("is a connection error when no server listens", async () => {
    const { delivery } = await deliver(startWebhooks(), `${receivers().closed}/x`);
    expect(delivery).toMatchObject({ status: "failed", last_error_code: "connection_error" });
  });

  it("contains at most 512 bytes of the response, as valid text without secrets", async () => {
    const long = await deliver(startWebhooks(), hook("long", freshKey()));
    expect(long.attempt.error_message).toBe(`HTTP 500: ${"é".repeat(256)}`);
    const binary = await deliver(startWebhooks(), hook("binary", freshKey()));
    expect(binary.attempt.error_message).toBe("HTTP 500: \uFFFD\uFFFD\uFFFDA");
    const url = `${hook("echo", freshKey())}?plain-secret-of-rule`;
    const rule = { secret: "plain-secret-of-rule", authorization: "Bearer receiver-credential" };
    const echo = await deliver(startWebhooks(), url, rule);
    expect(echo.attempt.error_message).toBe("HTTP 500: you sent [Filtered] and [Filtered]");
    expect(echo.delivery.last_error).toBe(echo.attempt.error_message);
  });
});

describe("addresses of webhook receivers", () => {
  const guarded = () => startWebhooks({ settings: { allowPrivate: false, timeoutMs: 1500 } });

  it("are rejected permanently, without a request, when a literal address or any address of a name is not public", async () => {
    const key = freshKey();
    for (const url of [hook("ok", key), "http://mixed.example.test/", "http://private6.example.test/"]) {
      const { delivery, attempt } = await deliver(guarded(), url);
      expect(delivery).toMatchObject({ status: "dead", last_error_code: "ssrf_blocked" });
      expect(attempt).toMatchObject({ status: "failure", http_status: null });
    }
    expect(await recorded(key)).toEqual([]);
  });

  it("are retried when the name does not resolve or the resolver does not respond", async () => {
    const unknown = await deliver(guarded(), "http://unknown.example.test/");
    expect(unknown.delivery).toMatchObject({ status: "failed", last_error_code: "dns_error" });
    const dnsResolverUrl = `${receivers().control}/dns/down`;
    const withResolver = startWebhooks({ settings: { allowPrivate: false, dnsResolverUrl } });
    const { delivery } = await deliver(withResolver, "http://public.example.test/");
    expect(delivery).toMatchObject({ status: "failed", last_error_code: "dns_error" });
  });

  it("may be private for a rule for which staff allowed it", async () => {
    const webhooks = guarded();
    const key = freshKey();
    await webhooks.addRule({ url: hook("ok", key), allowPrivate: true });
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    expect(await webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
    expect(await recorded(key)).toHaveLength(1);
  });
});

describe("eight attempts of a webhook", () => {
  it("wait 30 s and then twice as long each time, and the eighth attempt is the last", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await deliver(webhooks, hook("500", key));
    const waits: number[] = [];
    for (let attempt = 2; attempt <= 8; attempt++) {
      const [row] = await webhooks.deliveries();
      const wait = (row?.due_at ?? 0) - (row?.updated_at ?? 0);
      waits.push(wait / 1000);
      webhooks.advance(wait - 3000);
      expect(await webhooks.retry(), `too early for ${attempt}`).toMatchObject({ webhook_deliveries_attempted: 0 });
      webhooks.advance(3000);
      const counts = await webhooks.retry({ runId: RUN });
      const isLast = attempt === 8;
      expect(counts).toMatchObject({
        webhook_deliveries_attempted: 1,
        webhook_deliveries_succeeded: 0,
        email_events_attempted: 0,
        webhook_deliveries_failed: isLast ? 0 : 1,
        webhook_deliveries_given_up: isLast ? 1 : 0,
      });
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920]);
    expect(await webhooks.deliveries()).toMatchObject([
      { status: "dead", attempt_count: 8, last_error: "HTTP 500: answer 500" },
    ]);
    webhooks.advance(86_400_000);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_attempted: 0 });
    const calls = await recorded(key);
    expect(calls.map(({ headers }) => headers["x-platform-delivery-attempt"])).toEqual("12345678".split(""));
    expect(new Set(calls.map(({ headers, body }) => headers["webhook-id"] + body)).size).toBe(1);
    const attempts = await webhooks.attempts();
    expect(attempts.map(({ attempt_number }) => attempt_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(attempts.map(({ trigger }) => trigger)).toEqual(["dispatch", ...Array(7).fill("automatic_retry")]);
    expect(attempts.slice(1).every(({ scheduled_job_run_id }) => scheduled_job_run_id === RUN)).toBe(true);
    expect(await webhooks.totals()).toEqual({
      "webhook_attempts.failure.dispatch": 1,
      "webhook_attempts.failure.automatic_retry": 7,
    });
  });

  it("start with attempt 1 in a retry run 30 s after creation when the queue message was lost", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("ok", key) });
    await webhooks.emit();
    webhooks.advance(29_000);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_attempted: 0 });
    webhooks.advance(1500);
    expect(await webhooks.retry({ runId: RUN })).toMatchObject({ webhook_deliveries_succeeded: 1 });
    expect(await webhooks.attempts()).toMatchObject([
      { attempt_number: 1, trigger: "automatic_retry", scheduled_job_run_id: RUN },
    ]);
    const [call] = await recorded(key);
    expect(call?.headers).toMatchObject({ "x-platform-delivery-attempt": "1", "x-request-id": `sjr-${RUN}` });
  });
});

describe("the health of a webhook rule", () => {
  it("starts to fail with the first failure, keeps that time, and recovers with a success", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await program(key, ["500", "500", "ok"]);
    const { ruleId, delivery } = await deliver(webhooks, hook("program", key));
    expect(await webhooks.rule(ruleId)).toMatchObject({
      failing_since: delivery.updated_at,
      last_failure_at: delivery.updated_at,
      last_success_at: null,
      health_reason: null,
    });
    webhooks.advance(30_000);
    await webhooks.retry();
    const failing = await webhooks.rule(ruleId);
    expect(failing.failing_since).toBe(delivery.updated_at);
    expect(failing.last_failure_at).toBeGreaterThan(delivery.updated_at);
    webhooks.advance(60_000);
    await webhooks.retry();
    const [after] = await webhooks.deliveries();
    expect(await webhooks.rule(ruleId)).toMatchObject({
      failing_since: null,
      health_reason: null,
      last_success_at: after?.delivered_at,
    });
  });

  it("is failing immediately after a 410, and after a day of failures, with one warning each", async () => {
    const webhooks = startWebhooks();
    const { ruleId } = await deliver(webhooks, hook("410", freshKey()));
    expect((await webhooks.rule(ruleId)).health_reason).toBe("gone");
    const other = startWebhooks();
    const { ruleId: slow } = await deliver(other, hook("503-after-3600", freshKey()));
    for (let hours = 0; hours < 2; hours++) {
      other.advance(13 * 3_600_000);
      await other.retry();
    }
    expect((await other.rule(slow)).health_reason).toBe("failing_24h");
    other.advance(3_600_000);
    await other.retry();
    const warnings = (lines: typeof webhooks.lines) =>
      lines.filter(({ message }) => message === "webhook rule is failing");
    expect(warnings(webhooks.lines)).toMatchObject([{ fields: { rule_id: ruleId, reason: "gone" } }]);
    expect(warnings(other.lines)).toMatchObject([{ fields: { rule_id: slow, reason: "failing_24h" } }]);
  });
});

describe("a webhook secret that cannot be decrypted", () => {
  it("counts no attempt, waits 300 s and marks the rule as failing until the secret is replaced", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const ruleId = await webhooks.addRule({ url: hook("ok", key) });
    const { secret_enc: good } = await webhooks.rule(ruleId);
    const set = (secret_enc: string) => changeRule(ruleId, { secret_enc });
    await set(`v1.00000000.${good.split(".").slice(2).join(".")}`);
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    const [row] = await webhooks.deliveries();
    expect(row).toMatchObject({
      status: "pending",
      attempt_count: 0,
      claim_count: 0,
      last_error_code: "secret_unavailable",
    });
    expect((row?.due_at ?? 0) - (row?.updated_at ?? 0)).toBe(300_000);
    expect(await webhooks.attempts()).toEqual([]);
    expect((await webhooks.rule(ruleId)).health_reason).toBe("secret_unavailable");
    expect(webhooks.lines.filter(({ level }) => level === "error")).toHaveLength(1);
    await set(good);
    webhooks.advance(300_000);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_succeeded: 1 });
    expect(await webhooks.rule(ruleId)).toMatchObject({ health_reason: null, failing_since: null });
    expect(await recorded(key)).toHaveLength(1);
  });
});
