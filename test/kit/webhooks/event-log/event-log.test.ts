import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identityEventFields } from "../../../../schemas/identity/event-fields";
import { identityEvents } from "../../../../schemas/identity/events";
import worker from "../../../../workers/identity/worker";
import { clock } from "../../../../workers/kit/clock";
import { createNetwork } from "../../../support/net/network";
import { companyPartOf, eventType, setUpWebhooks, storeDelivery, storeEvent } from "../../../support/webhooks/api";

let network: ReturnType<typeof createNetwork>;
beforeEach(() => {
  network = createNetwork();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("lists the event types that rules may select, with fields and a sample for the caller's company", async () => {
  const { company, call } = await setUpWebhooks();
  type Entry = {
    type: string;
    payload_fields: { name: string; example: unknown }[];
    sample_envelope: Record<string, unknown>;
  };
  const { results } = (await call("GET", "/events")).body as { results: Entry[] };
  const webhooks = identityEvents.filter(({ audience }) => audience === "webhook");
  expect(results.map(({ type }) => type)).toEqual(webhooks.map(({ type }) => type));
  const companyPart = await companyPartOf(company.id);
  for (const entry of results) {
    expect(entry).toMatchObject({ emit_by_default: true, supported_action_kinds: ["webhook"] });
    expect(entry.payload_fields.length, entry.type).toBeGreaterThan(0);
    const { id, time, ...sample } = entry.sample_envelope;
    expect([id, time]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/\+00:00$/)]);
    const data = Object.fromEntries(entry.payload_fields.map(({ name, example }) => [name, example]));
    expect(sample).toEqual({ type: entry.type, company: companyPart, data });
  }
});

it("lists no event type that rules may not select", () => {
  for (const { type, audience } of identityEvents) {
    expect(identityEventFields(type).length > 0, type).toBe(audience === "webhook");
  }
});

describe("replaying an event", () => {
  it("sends the same envelope with the same id immediately to a rule that had no delivery of the event", async () => {
    const { company, call, createRule } = await setUpWebhooks({ ACTIONS_WEBHOOK_SYNC_DELIVERY: "true" });
    const rule = await createRule();
    const event = await storeEvent(company.id);
    const { status, body } = await call("POST", `/event-log/${event.id}/replay`, { action_rule_id: rule.id });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      company_id: company.id,
      action_rule_id: rule.id,
      action_rule_name: "Bot",
      event_type: eventType,
      webhook_id: event.event_id,
      status: "pending",
      attempt_count: 0,
      requeue_count: 0,
      attempts: [],
    });
    const [sent] = network.received;
    expect(sent?.body).toBe(event.envelope);
    const headers = Object.fromEntries(sent?.headers ?? []);
    expect(headers["webhook-id"]).toBe(event.event_id);
    new Webhook(rule.secret).verify(sent?.body ?? "", headers);
    const delivery = (await call("GET", `/deliveries/${body.id}`)).body;
    expect(delivery).toMatchObject({
      status: "delivered",
      envelope: JSON.parse(event.envelope),
      attempts: [{ trigger: "dispatch" }],
    });
  });

  it("is rejected for a rule that already has a delivery, and creates one delivery under concurrent calls", async () => {
    const { company, call, code, createRule } = await setUpWebhooks();
    const { id } = await createRule();
    const event = await storeEvent(company.id);
    const replay = () => call("POST", `/event-log/${event.id}/replay`, { action_rule_id: id });
    const responses = await Promise.all(Array.from({ length: 5 }, replay));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(await code("POST", `/event-log/${event.id}/replay`, { action_rule_id: id })).toEqual([409, "conflict"]);
    const withoutEnvelope = await storeEvent(company.id, eventType, false);
    expect(await code("POST", `/event-log/${withoutEnvelope.id}/replay`, { action_rule_id: id })).toEqual([
      409,
      "conflict",
    ]);
  });

  it("is rejected for rules of another type or company, unknown rules, and platform events", async () => {
    const { company, other, code, call, createRule, staff } = await setUpWebhooks();
    const event = await storeEvent(company.id);
    const typed = await createRule({ event_type: "identity.user.updated" });
    const foreign = await call(
      "POST",
      `/rules?company_id=${other.id}`,
      { name: "x", event_type: eventType, url: "https://a.example.com" },
      staff.token,
    );
    const mismatch = [400, "validation_failed", { action_rule_id: ["mismatch"] }];
    for (const action_rule_id of [typed.id, foreign.body.id, 2 ** 40]) {
      expect(await code("POST", `/event-log/${event.id}/replay`, { action_rule_id })).toEqual(mismatch);
    }
    const platform = await storeEvent(null, "identity.scheduled_job.failed");
    const json = { action_rule_id: typed.id };
    expect(await code("POST", `/event-log/${platform.id}/replay`, json, staff.token)).toEqual(mismatch);
    expect(await code("POST", `/event-log/${platform.id}/replay`, json)).toEqual([404, "not_found"]);
    for (const [action_rule_id, fieldErrors] of [
      [undefined, "required"],
      ["1", "invalid"],
      [0, "invalid"],
      [1.5, "invalid"],
    ] as const) {
      expect(await code("POST", `/event-log/${event.id}/replay`, { action_rule_id })).toEqual([
        400,
        "validation_failed",
        { action_rule_id: [fieldErrors] },
      ]);
    }
  });

  it("keeps the delivery of a disabled rule paused", async () => {
    const { company, call, createRule } = await setUpWebhooks({ ACTIONS_WEBHOOK_SYNC_DELIVERY: "true" });
    const { id } = await createRule({ enabled: false });
    const event = await storeEvent(company.id);
    const { body } = await call("POST", `/event-log/${event.id}/replay`, { action_rule_id: id });
    expect(body).toMatchObject({ status: "pending", paused: true, next_attempt_at: null });
    expect(network.received).toEqual([]);
  });
});

it("counts the result of an attempt during a requeue as attempt 1", async () => {
  const { env, company, call, createRule } = await setUpWebhooks();
  const url = "https://race.example.com/x";
  const { id: rule_id } = await createRule({ url });
  const row = await storeDelivery({
    company_id: company.id,
    rule_id,
    host: "race.example.com",
    status: "failed",
    attempt_count: 6,
    claim_count: 6,
    due_at: clock.now() - 1000,
    dispatched_at: 1,
  });
  let respondTo: (response: Response) => void = () => undefined;
  const requested = new Promise<void>((resolve) => {
    // A retry run handles all companies. Webhooks of other companies get an immediate response.
    network.answer = (request) => {
      if (request.url !== url) return new Response("ok");
      resolve();
      return new Promise<Response>((respond) => {
        respondTo = respond;
      });
    };
  });
  const now = clock.now();
  const body = { v: 1, kind: "drain", run_id: 1, fence: null, run_start: now, deadline: now + 10_000 };
  const ctx = createExecutionContext();
  const batch = createMessageBatch("identity-service", [{ id: "drain", timestamp: new Date(), attempts: 1, body }]);
  const consumed = worker.queue(batch, env, ctx);
  await requested;
  expect((await call("POST", `/deliveries/${row.id}/requeue`)).body).toMatchObject({
    status: "pending",
    attempt_count: 0,
  });
  respondTo(new Response("no", { status: 500 }));
  await consumed;
  await waitOnExecutionContext(ctx);
  const { body: delivery } = await call("GET", `/deliveries/${row.id}`);
  expect(delivery).toMatchObject({
    status: "failed",
    attempt_count: 1,
    requeue_count: 1,
    last_error_code: "http_status",
  });
  expect(delivery.attempts).toMatchObject([
    { status: "failure", attempt_number: 7, requeue_count: 0, trigger: "automatic_retry" },
  ]);
});
