import { eq, sql } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { action_deliveries, event_log } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { callIdentity, json } from "../../../support/identity/identity";
import { eventType, setUpWebhooks, storeDelivery, storeEvent } from "../../../support/webhooks/api";
import { changeRule, deliveriesWhere, insertNumbered } from "../../../support/webhooks/rows";

const systemNow = clock.now;
const HOUR = 3_600_000;
afterEach(() => {
  clock.now = systemNow;
});

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Creates a company with a rule. `store` stores an event of some hours ago, and `requeue` requests the rule's missing
 * deliveries.
 */
async function setUp(type = eventType) {
  const webhooks = await setUpWebhooks();
  const { company, call, createRule } = webhooks;
  const rule = await createRule({ event_type: type });
  const now = systemNow();
  const store = async (hours: number, overrides: { company?: number; type?: string; hasEnvelope?: boolean } = {}) => {
    clock.now = () => now - hours * HOUR;
    const event = await storeEvent(overrides.company ?? company.id, overrides.type ?? type, overrides.hasEnvelope);
    clock.now = () => now;
    return event;
  };
  const requeue = async (body: object = {}) =>
    (await call("POST", `/rules/${rule.id}/requeue`, { status: "missing", ...body })).body;
  const delivered = async () =>
    (await deliveriesWhere(eq(action_deliveries.rule_id, rule.id))).map((row) => row.event_id);
  return { ...webhooks, rule, now, store, requeue, delivered };
}

it.each([
  ["an index", eventType],
  ["the key", "identity.auth.magic_link.requested"],
])("creates the missing deliveries of the rule's event type once, when %s selects the events", async (_by, type) => {
  const { company, other, rule, now, store, requeue, delivered } = await setUp(type);
  const old = await store(24 * 8);
  const missing = [await store(30), await store(3), await store(1)];
  const withDelivery = await store(2);
  await storeDelivery({
    company_id: company.id,
    rule_id: rule.id,
    event_id: withDelivery.event_id,
    status: "delivered",
  });
  await store(2, { type: "identity.user.deleted" });
  await store(2, { company: other.id });
  await store(2, { hasEnvelope: false });
  expect(await requeue({ dry_run: true })).toEqual({ requeued: 3, complete: true, next_cursor: null });
  expect(await delivered()).toEqual([withDelivery.event_id]);
  const range = { since: iso(now - 4 * HOUR), until: iso(now - 2 * HOUR) };
  expect(await requeue(range)).toMatchObject({ requeued: 1 });
  const [first, ...others] = await Promise.all([requeue(), requeue(), requeue()]);
  expect(others).toMatchObject([{ complete: true }, { complete: true }]);
  expect(first).toMatchObject({ complete: true });
  expect(await requeue()).toEqual({ requeued: 0, complete: true, next_cursor: null });
  expect((await delivered()).sort()).toEqual([withDelivery, ...missing].map((event) => event.event_id).sort());
  expect(await requeue({ since: iso(now - 24 * 9 * HOUR) })).toMatchObject({ requeued: 1 });
  const created = (await deliveriesWhere(eq(action_deliveries.rule_id, rule.id))).find(
    (row) => row.event_id === old.event_id,
  );
  expect(created).toMatchObject({
    kind: "webhook",
    company_id: company.id,
    event_type: type,
    rule_name: "Bot",
    host: "hooks.example.com",
    body: old.envelope,
    status: "pending",
    attempt_count: 0,
    due_at: now,
  });
});

it("creates the missing deliveries of a disabled rule, and keeps them paused", async () => {
  const { rule, store, requeue, call } = await setUp();
  await changeRule(rule.id, { enabled: false });
  await store(1);
  expect(await requeue()).toMatchObject({ requeued: 1 });
  const { results } = (await call("GET", `/deliveries?action_rule_id=${rule.id}`)).body as { results: unknown[] };
  expect(results).toMatchObject([{ status: "pending", paused: true }]);
});

it("scans a limited number of events per call, and continues after the last one", async () => {
  const { company, now, rule, requeue } = await setUp();
  const hex = (value: ReturnType<typeof sql>, digits: number) => sql`printf(${`%0${digits}x`}, ${value})`;
  await insertNumbered(event_log, 1300, (i) => {
    const at = sql`(${now - HOUR} + ${i})`;
    const id = sql`${hex(sql`${at} / 65536`, 8)} || '-' || ${hex(sql`${at} % 65536`, 4)} || '-7000-8000-000000000000'`;
    return { company_id: company.id, id, event_type: eventType, data: "{}", envelope: '{"id":1}', created_at: at };
  });
  const counted = await requeue({ dry_run: true });
  expect(counted).toEqual({ requeued: 1250, complete: false, next_cursor: expect.any(String) });
  expect(await requeue({ dry_run: true, cursor: counted.next_cursor })).toMatchObject({ requeued: 50, complete: true });
  const first = await requeue();
  expect(first).toMatchObject({ requeued: 1250, complete: false });
  expect(await requeue()).toMatchObject({ requeued: 0, complete: false });
  expect(await requeue({ cursor: first.next_cursor })).toEqual({ requeued: 50, complete: true, next_cursor: null });
  expect(await deliveriesWhere(eq(action_deliveries.rule_id, rule.id))).toHaveLength(1300);
});

it("counts in a dry run the deliveries that a requeue with another status selects", async () => {
  const { company, rule, call } = await setUp();
  for (const status of ["dead", "failed", "delivered"] as const) {
    await storeDelivery({ company_id: company.id, rule_id: rule.id, status });
  }
  const requeue = async (body: object) => (await call("POST", `/rules/${rule.id}/requeue`, body)).body;
  expect(await requeue({ dry_run: true })).toEqual({ requeued: 1, complete: true });
  expect(await requeue({ dry_run: true, status: "all" })).toEqual({ requeued: 2, complete: true });
  expect(await requeue({ status: "all" })).toEqual({ requeued: 2, complete: true });
});

it("rejects a cursor for missing deliveries that no call has returned", async () => {
  const { rule, code } = await setUp();
  const rejection = [400, "validation_failed", { cursor: ["invalid"] }];
  expect(await code("POST", `/rules/${rule.id}/requeue`, { status: "missing", cursor: "x" })).toEqual(rejection);
});

it("runs as a command that repeats until it is complete, and only counts in a dry run", async () => {
  const { env, staff, rule, store, delivered } = await setUp();
  const events = [await store(2), await store(1)];
  const run = async (flags: Record<string, unknown>) => {
    const headers = { authorization: `Bearer ${staff.token}` };
    const response = await callIdentity(env, "/api/v1/management/requeue_webhooks", json({ flags }, headers));
    const text = new TextDecoder().decode(await response.arrayBuffer());
    return JSON.parse(text.trim().split("\n").at(-1) ?? "") as { line: string };
  };
  const missing = { rule: rule.id, status: "missing" };
  expect((await run({ ...missing, dry_run: true })).line).toMatch(/^requeue_webhooks: would requeue=2 complete=true/);
  expect(await delivered()).toEqual([]);
  expect((await run(missing)).line).toMatch(/^requeue_webhooks: requeued=2 complete=true since=\d{4}-/);
  expect((await delivered()).sort()).toEqual(events.map((event) => event.event_id).sort());
  expect((await run({ rule: 999_999_999 })).line).toContain("rule 999999999 does not exist");
  expect((await run({ rule: rule.id, since: "today" })).line).toContain("--since");
  expect((await run({ rule: rule.id, status: "lost" })).line).toContain("--status");
});
