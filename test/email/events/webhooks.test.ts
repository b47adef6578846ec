import { eq, inArray } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { action_deliveries, action_rules, event_log } from "../../../db/email/schema";
import type { EmailBindings } from "../../../workers/email/bindings";
import worker from "../../../workers/email/worker";
import { clock } from "../../../workers/kit/clock";
import { bytesToBase64 } from "../../../workers/kit/crypto/encoding";
import { DAY_MS } from "../../../workers/kit/time";
import { sign } from "../../../workers/kit/webhooks/posting/signing-secret";
import { eventIdAt } from "../../support/db/event-ids";
import { createCompany } from "../../support/email/delivery";
import { startEmail } from "../../support/email/email";
import { consume, deliveriesOf, eventsOfCompany, storedEvents, storeRule } from "../../support/email/events";
import { storeMessage } from "../../support/email/messages";
import { updateRows } from "../../support/email/rows";
import { attempt, sendOne, unsubscribe } from "../../support/email/webhooks";
import { isolatedLocks, tick } from "../../support/jobs/jobs";
import { createNetwork } from "../../support/net/network";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

describe("a webhook of email", () => {
  it("posts the decrypted and signed envelope with the headers of the service", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = createCompany();
    const rule = await storeRule(company, "email.message.sent");
    const message = await sendOne(company);
    await attempt(email, company);
    expect(network.received).toHaveLength(1);
    const [post] = network.received;
    if (post === undefined) throw new Error("nothing was received");
    const header = (name: string) => post.headers.get(name) ?? "";
    const [event] = await storedEvents(company);
    expect(post.body).toBe(
      `{"company":{"id":${company}},"data":{"event_type":"identity.auth.magic_link.requested","lane":"auth",` +
        `"message_id":"msg_${message}","service":"identity","template_key":"identity.auth.magic_link.requested",` +
        `"to_email":"mina@example.com","to_user_id":5},"id":"${event?.event_id}",` +
        `"time":"${JSON.parse(post.body).time}","type":"email.message.sent"}`,
    );
    expect(JSON.parse(post.body).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect([header("user-agent"), header("x-platform-event"), header("x-platform-delivery-attempt")]).toEqual([
      "platform-email-webhooks/1.0",
      "email.message.sent",
      "1",
    ]);
    const signed = { id: header("webhook-id"), timestamp: Number(header("webhook-timestamp")), body: post.body };
    expect(header("webhook-signature")).toBe(await sign([rule.secret], signed));
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered", attempt_count: 1 }]);
  });

  it("remains pending while the key that encrypted its envelope is missing", async () => {
    const network = createNetwork();
    const email = await startEmail({ vars: { EMAIL_VARIABLES_KEY: bytesToBase64(new Uint8Array(32).fill(99)) } });
    const company = createCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    await attempt(email, company);
    expect(network.received).toEqual([]);
    expect(await deliveriesOf(company)).toMatchObject([
      { status: "pending", attempt_count: 0, last_error_code: "secret_unavailable" },
    ]);
    await attempt(await startEmail(), company);
    expect(network.received).toEqual([]);
  });

  it("is posted by the next retry run with the run's request id when its queue message was lost", async () => {
    const network = createNetwork();
    const email = await startEmail({ vars: { BROKER: (await isolatedLocks()) as never } });
    const company = createCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    const at = Date.now() + 31_000;
    clock.now = () => at;
    await tick(worker, email.bindings);
    const companyCalls = network.received.filter(({ body }) => body.includes(`"id":${company}}`));
    expect(companyCalls.map(({ headers }) => headers.get("x-request-id"))).toEqual([
      expect.stringMatching(/^sjr-\d+$/),
    ]);
    expect(await deliveriesOf(company)).toMatchObject([{ status: "delivered" }]);
  });

  it("is not affected by malformed messages in the queue email-service", async () => {
    const email = await startEmail();
    const past = { v: 1, kind: "drain", run_id: 1, fence: null, run_start: 1, deadline: 2 };
    await consume(email.bindings, "email-service", [null, { v: 2 }, past]);
  });
});

describe("the event of an unsubscribe", () => {
  it("is stored once with the address of a stored message, in two round trips", async () => {
    const email = await startEmail();
    const company = createCompany();
    const hmac = "b".repeat(64);
    await storeRule(company, "email.unsubscribe.created");
    await storeMessage(company, { email_hmac: hmac, to_user_id: 5 });
    expect([await unsubscribe(email, company, hmac), await unsubscribe(email, company, hmac)]).toEqual([2, 2]);
    const data = { category: "transactional", source: "one_click", email_hmac: hmac, newsletter_id: null };
    expect(await eventsOfCompany(company)).toEqual([
      { type: "email.unsubscribe.created", data: { ...data, to_email: "mina@example.com", to_user_id: 5 } },
    ]);
    expect(await deliveriesOf(company)).toHaveLength(1);
    await unsubscribe(email, company);
    expect((await eventsOfCompany(company))[1]?.data).toMatchObject({ to_email: null, to_user_id: null });
  });

  it("is not stored for an invalid token", async () => {
    const email = await startEmail();
    const company = createCompany();
    const path = `/u/${company}.bulk.${"a".repeat(64)}.${"b".repeat(64)}`;
    expect((await email.call(path, { method: "POST" })).status).toBe(404);
    expect(await storedEvents(company)).toEqual([]);
  });
});

describe("the webhooks API of email", () => {
  type Rows = { results: { id: number; data: Record<string, unknown> }[] };

  it("masks addresses in lists of the event log, shows them in details, and hides other companies", async () => {
    createNetwork();
    const email = await startEmail();
    const company = createCompany();
    await storeRule(company, "email.message.sent");
    await sendOne(company);
    const owner = await email.token({ companyId: company, isOwner: true });
    const stranger = await email.token({ companyId: company + 1_000_000_000, isOwner: true });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    const [row] = list.results;
    expect(row?.data).toMatchObject({ to_email: "m***@example.com", to_user_id: 5 });
    const path = `/api/v1/actions/event-log/${row?.id}`;
    expect(await (await email.call(path, { bearer: owner })).json()).toMatchObject({
      label: "Message sent",
      data: { to_email: "mina@example.com" },
    });
    expect((await email.call(path, { bearer: stranger })).status).toBe(404);
    const [delivery] = await deliveriesOf(company);
    const detail = await email.call(`/api/v1/actions/deliveries/${delivery?.id}`, { bearer: owner });
    expect(await detail.json()).toMatchObject({
      envelope: { company: { id: company }, data: { to_email: "mina@example.com" } },
    });
  });

  it("replays an event with the same encrypted envelope", async () => {
    const network = createNetwork();
    const email = await startEmail();
    const company = createCompany();
    await sendOne(company);
    const rule = await storeRule(company, "email.message.sent");
    const owner = await email.token({ companyId: company, isOwner: true, userId: company });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    const path = `/api/v1/actions/event-log/${list.results[0]?.id}/replay`;
    expect((await email.call(path, { bearer: owner, json: { action_rule_id: rule.id } })).status).toBe(201);
    const [event] = await storedEvents(company);
    const [delivery] = await deliveriesOf(company);
    expect([delivery?.body, delivery?.subject_hmac]).toEqual([event?.envelope, event?.subject_hmac]);
    await attempt(email, company);
    expect(JSON.parse(network.received[0]?.body ?? "{}").data.to_email).toBe("mina@example.com");
  });

  it("returns an error code for data that cannot be decrypted", async () => {
    const company = createCompany();
    await sendOne(company);
    const email = await startEmail({ vars: { EMAIL_VARIABLES_KEY: bytesToBase64(new Uint8Array(32).fill(97)) } });
    const owner = await email.token({ companyId: company, isOwner: true });
    const list = await (await email.call("/api/v1/actions/event-log", { bearer: owner })).json<Rows>();
    expect(list.results[0]?.data).toEqual({ error_code: "data_unreadable" });
  });

  it("lists its event types with samples", async () => {
    const email = await startEmail();
    const company = createCompany();
    const owner = await email.token({ companyId: company, isOwner: true });
    const events = await (await email.call("/api/v1/actions/events", { bearer: owner })).json<{
      results: { type: string; payload_fields: unknown[]; sample_envelope: { company: unknown } }[];
    }>();
    expect(events.results.map(({ type }) => type)).toEqual([
      "email.message.sent",
      "email.message.delivered",
      "email.message.delivery_delayed",
      "email.message.bounced",
      "email.message.complained",
      "email.message.failed",
      "email.message.expired",
      "email.message.suppressed",
      "email.unsubscribe.created",
      "email.broadcast.sent",
      "email.broadcast.failed",
      "email.broadcast.cancelled",
      "email.newsletter.confirmed",
      "email.newsletter.unsubscribed",
      "email.lane.paused",
      "email.action_rule.failing",
    ]);
    for (const { payload_fields, sample_envelope } of events.results) {
      expect(payload_fields.length).toBeGreaterThan(4);
      expect(sample_envelope.company).toEqual({ id: company });
    }
  });
});

it("removes addresses from a stored receiver response that repeats the envelope", async () => {
  createNetwork(({ body }) => new Response(body, { status: 500 }));
  const email = await startEmail();
  const company = createCompany();
  await storeRule(company, "email.message.sent");
  await sendOne(company);
  await attempt(email, company);
  const owner = await email.token({ companyId: company, isOwner: true });
  const page = await (await email.call("/api/v1/actions/deliveries", { bearer: owner })).text();
  expect(page).toContain("to_email");
  expect(page).not.toContain("mina@example.com");
  expect((await deliveriesOf(company))[0]?.last_error).toContain('"to_email":"[Filtered]"');
});

it("purges old events and finished deliveries, and keeps pending deliveries", async () => {
  createNetwork();
  const email = await startEmail({
    vars: { BROKER: (await isolatedLocks()) as never } as Partial<EmailBindings> as never,
  });
  const company = createCompany();
  await storeRule(company, "email.message.sent");
  for (let i = 0; i < 3; i++) await sendOne(company);
  const [first, second] = await deliveriesOf(company);
  const old = Date.now() - 8 * DAY_MS;
  const { seq } = action_deliveries;
  for (const { id } of await storedEvents(company)) {
    await updateRows(event_log, { id: eventIdAt(old), created_at: old }, eq(event_log.id, id));
  }
  await updateRows(action_deliveries, { created_at: old }, inArray(seq, [first?.seq ?? 0, second?.seq ?? 0]));
  await updateRows(action_deliveries, { status: "delivered" }, eq(seq, first?.seq ?? 0));
  await tick(worker, email.bindings, "17 * * * *");
  expect(await storedEvents(company)).toEqual([]);
  expect((await deliveriesOf(company)).map(({ status }) => status)).toEqual(["pending", "pending"]);
});

it("notifies owners of a failing webhook by an encrypted event and a notice to identity", async () => {
  const network = createNetwork();
  const email = await startEmail({ vars: { BROKER: (await isolatedLocks()) as never } });
  const company = createCompany();
  const failing = await storeRule(company, "email.message.sent");
  await updateRows(action_rules, { health_reason: "gone" }, eq(action_rules.id, failing.id));
  await storeRule(company, "email.action_rule.failing", { host: "owners.example.com" });
  for (let minute = 0; minute < 2; minute++) await tick(worker, email.bindings);
  const data = {
    rule_id: failing.id,
    rule_event_type: "email.message.sent",
    health_reason: "gone",
    company_id: company,
  };
  expect(await eventsOfCompany(company)).toMatchObject([{ type: "email.action_rule.failing", data }]);
  expect((await storedEvents(company))[0]).toMatchObject({ data: "", envelope: expect.stringMatching(/^v1\./) });
  expect(email.ruleNotices.filter(({ company_id }) => company_id === company)).toMatchObject([
    { service: "email", rule_id: failing.id, host: "hooks.example.com" },
  ]);
  const [delivery] = await deliveriesOf(company);
  await consume(email.bindings, "webhooks-email", [{ v: 1, kind: "first", ids: [delivery?.id], request_id: "r" }]);
  const [post] = network.received.filter(({ url }) => url.startsWith("https://owners.example.com/"));
  expect(JSON.parse(post?.body ?? "")).toMatchObject({
    type: "email.action_rule.failing",
    company: { id: company },
    data,
  });
});
