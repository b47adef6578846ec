import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { event_log, type RuleRow } from "../../../../db/kit/webhooks";
import type { RuleNotice } from "../../../../schemas/rpc";
import { clock } from "../../../../workers/kit/clock";
import { notifyOfFailingRules, selectFailing } from "../../../../workers/kit/webhooks/failing/failing-rule";
import { freshKey, hook, recorded, startWebhooks, textOf } from "../../../support/webhooks/dispatch";
import { changeDelivery, changeRule, findRule, readRows } from "../../../support/webhooks/rows";

const DAY = 86_400_000;
const type = "identity.action_rule.failing";

/**
 * Creates a company with a rule in this state. Returns it with a function that runs the job and returns the notices to
 * owners.
 */
async function setUp(state: Partial<RuleRow>) {
  const webhooks = startWebhooks();
  const notices: RuleNotice[] = [];
  let isUnavailable = false;
  const notifyOwners = async (ruleNotices: readonly RuleNotice[]) => {
    if (isUnavailable) throw new Error("identity is unavailable");
    notices.push(...ruleNotices.filter(({ company_id }) => company_id === webhooks.companyId));
  };
  const rule = await webhooks.addRule({ url: "https://hooks.example.com/x" });
  await changeRule(rule, state);
  return {
    webhooks,
    rule,
    notices,
    setUnavailable: (unavailable: boolean) => {
      isUnavailable = unavailable;
    },
    run: async (fence: number | null = null) => {
      const context = webhooks.build({ notifyOwners });
      const now = clock.now();
      await notifyOfFailingRules(context, await context.platformDb.batch(selectFailing(now)), { now, fence });
    },
    events: () =>
      readRows(event_log, and(eq(event_log.company_id, webhooks.companyId), eq(event_log.event_type, type))),
  };
}

const failing = (ms: number) => ({ failing_since: clock.now() - ms, last_failure_at: clock.now() - ms });

it("notifies owners once of a rule that has failed for a day, even without recent attempts", async () => {
  const { webhooks, rule, notices, run, events } = await setUp(failing(DAY - 60_000));
  await run();
  expect(await events()).toEqual([]);
  webhooks.advance(60_001);
  const failingSince = (await findRule(rule))?.failing_since ?? 0;
  await Promise.all([run(), run(), run()]);
  await run();
  const [event, ...others] = await events();
  expect(others).toEqual([]);
  expect(JSON.parse(event?.data ?? "")).toEqual({
    company_id: webhooks.companyId,
    rule_id: rule,
    rule_name: "Hook",
    rule_event_type: "identity.group.created",
    host: "hooks.example.com",
    health_reason: "failing_24h",
    failing_since: new Date(failingSince).toISOString(),
  });
  const times = new Set(notices.map(({ notice_at }) => notice_at));
  expect(times.size).toBe(1);
  expect(notices[0]).toEqual({
    service: "identity",
    rule_id: rule,
    company_id: webhooks.companyId,
    notice_at: [...times][0],
    rule_name: "Hook",
    rule_event_type: "identity.group.created",
    host: "hooks.example.com",
    failing_since: failingSince,
    ...{ attempts: 0, waiting: 0, last_status: "" },
  });
  expect(await findRule(rule)).toMatchObject({ is_failing_told: true, notice_at: null });
});

it("counts the attempts of the delivery that began to fail, although it is older than the failure", async () => {
  const { webhooks, rule, notices, run } = await setUp({ description: "receives events" });
  const [, old] = [await webhooks.emit(), await webhooks.emit()];
  const failingSince = clock.now();
  await changeRule(rule, { health_reason: "gone", failing_since: failingSince });
  const [before, first] = await webhooks.deliveries();
  expect(first?.event_id).toBe(old.eventId);
  const dead = { status: "dead", last_error_code: "http_status", last_error: "HTTP 410: gone" } as const;
  const times = { created_at: failingSince - 1000, updated_at: failingSince };
  await changeDelivery(first?.id ?? "", { ...dead, ...times, attempt_count: 3 });
  await changeDelivery(before?.id ?? "", { ...dead, ...times, updated_at: failingSince - 1, attempt_count: 5 });
  await run();
  expect(notices[0]).toMatchObject({ attempts: 3, waiting: 0, last_status: "HTTP 410" });
});

it.each(["gone", "secret_unavailable"] as const)("notifies owners immediately of a rule that is %s", async (reason) => {
  const { notices, run, events } = await setUp({ health_reason: reason });
  await run();
  expect((await events()).map(({ data }) => JSON.parse(data).health_reason)).toEqual([reason]);
  expect(notices).toHaveLength(1);
});

it("delivers the event of a failing rule to the rules for its type", async () => {
  const { webhooks, run } = await setUp({ health_reason: "gone" });
  const key = freshKey();
  await webhooks.addRule({ url: hook("ok", key), eventType: type });
  const enqueuedBefore = webhooks.wakeUps.length;
  await run();
  await webhooks.first(webhooks.wakeUps.slice(enqueuedBefore).flatMap(({ ids }) => ids));
  const [call] = await recorded(key);
  expect(JSON.parse(textOf(call))).toMatchObject({ type, data: { rule_name: "Hook", health_reason: "gone" } });
});

it("notifies owners of each failure period of a rule, but not twice within a day", async () => {
  const { webhooks, rule, notices, run, events } = await setUp({ health_reason: "gone" });
  await run();
  // The rule recovers and fails again within a day.
  await changeRule(rule, { health_reason: null, is_failing_told: false });
  webhooks.advance(DAY / 2);
  await changeRule(rule, { health_reason: "gone" });
  await run();
  expect([(await events()).length, notices.length]).toEqual([1, 1]);
  webhooks.advance(DAY / 2);
  await run();
  expect([(await events()).length, notices.length]).toEqual([2, 2]);
});

it("starts a new failure period of a rule after a success", async () => {
  const key = freshKey();
  const { webhooks, rule, run } = await setUp({ description: "works again" });
  await changeRule(rule, { ...failing(2 * DAY), url: hook("ok", key), host: new URL(hook("ok", key)).host });
  await run();
  expect(await findRule(rule)).toMatchObject({ is_failing_told: true });
  const { ids } = await webhooks.emit();
  await webhooks.first(ids);
  expect(await recorded(key)).toHaveLength(1);
  expect(await findRule(rule)).toMatchObject({ is_failing_told: false, failing_since: null });
});

it("retries the email about a failing rule until identity accepts it, without a second event", async () => {
  const { rule, notices, setUnavailable, run, events } = await setUp({ health_reason: "gone" });
  setUnavailable(true);
  await run();
  await run();
  expect([(await events()).length, notices.length]).toEqual([1, 0]);
  setUnavailable(false);
  await run();
  const { failing_told_at: notifiedAt } = (await findRule(rule)) ?? {};
  expect(notices).toMatchObject([{ rule_id: rule, notice_at: notifiedAt }]);
});

it("sends no notification about a disabled rule, or in a run that has lost its lock", async () => {
  const disabled = await setUp({ health_reason: "gone", enabled: false });
  await disabled.run();
  expect(await disabled.events()).toEqual([]);
  const { run, notices, events } = await setUp({ health_reason: "gone" });
  await run(-1);
  expect([await events(), notices]).toEqual([[], []]);
  await run();
  expect(notices).toHaveLength(1);
});
