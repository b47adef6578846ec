import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { scheduled_job_runs } from "../../../../db/kit/jobs";
import { action_rules } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { oneDatabase, openDb } from "../../../../workers/kit/db/db";
import { drain, RETRY_COUNTS } from "../../../../workers/kit/webhooks/consumers/retry";
import { readDrainMessage } from "../../../../workers/kit/webhooks/dispatch/messages";
import { repeatBatches } from "../../../support/db/broken-db";
import { changeRun, countersOf, insertRun, setFence } from "../../../support/jobs/rows";
import {
  forgetDeliveries,
  freshKey,
  hook,
  recorded,
  startWebhooks,
  type Webhooks,
} from "../../../support/webhooks/dispatch";
import { insertDueDeliveries, readRows } from "../../../support/webhooks/rows";

beforeEach(forgetDeliveries);

/** Stores `perRule` due rows for each rule of the test's company. */
const addDue = (webhooks: Webhooks, perRule: number) =>
  insertDueDeliveries(perRule, eq(action_rules.company_id, webhooks.companyId));

/** Stores a run and returns its id. */
const startRun = async (status: "running" | "succeeded" = "running") =>
  (await insertRun({ job: "retry_webhooks", status })).id;

const countsOf = async (runId: number) =>
  (await readRows(scheduled_job_runs, eq(scheduled_job_runs.id, runId)))[0]?.counts;

const totals = () => countersOf("retry_webhooks", "items.");

describe("a retry run of webhooks", () => {
  it("returns eight counts in order, and reports them while it runs", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule({ url: hook("ok", freshKey()) });
    await webhooks.addRule({ url: hook("500", freshKey(), 1) });
    await webhooks.addRule({ url: hook("410", freshKey(), 2) });
    await webhooks.emit();
    webhooks.advance(31_000);
    const reports: Record<string, number>[] = [];
    const counts = await webhooks.retry({ report: (progress) => void reports.push(progress) });
    expect(Object.keys(counts)).toEqual(RETRY_COUNTS);
    expect(counts).toEqual({
      webhook_deliveries_attempted: 3,
      webhook_deliveries_succeeded: 1,
      webhook_deliveries_failed: 1,
      webhook_deliveries_given_up: 1,
      email_events_attempted: 0,
      email_events_succeeded: 0,
      email_events_failed: 0,
      email_events_given_up: 0,
    });
    expect(reports.at(-1)).toEqual(counts);
  });

  it("runs three statements in one round trip when nothing is due", async () => {
    const webhooks = startWebhooks();
    const db = openDb(env.DB);
    let statements = 0;
    const counting = {
      ...db,
      batch: ((batch: object) => {
        statements += Object.values(batch).flat().length;
        return db.batch(batch as never);
      }) as typeof db.batch,
    };
    await webhooks.retry({}, webhooks.build(oneDatabase(counting)));
    expect([statements, db.stats.roundTrips]).toEqual([3, 1]);
  });

  it("ends at its deadline, releases unsent rows, and stores the results of sent ones", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("slow-200", key) });
    await addDue(webhooks, 8);
    await webhooks.retry({ deadline: clock.now() + 500, concurrency: 1 });
    const rows = await webhooks.deliveries();
    const delivered = rows.filter(({ status }) => status === "delivered");
    expect(delivered.length).toBeGreaterThanOrEqual(1);
    expect(delivered.length).toBeLessThanOrEqual(4);
    expect(await recorded(key)).toHaveLength(delivered.length);
    for (const row of rows.filter(({ status }) => status === "failed")) {
      expect(row).toMatchObject({ claim_count: 0, attempt_count: 0, locked_until: null, lease_token: null });
    }
  });
});

describe("helpers of a retry run", () => {
  it("are requested with the run's id, fence, start and deadline when the first claim is full", async () => {
    const webhooks = startWebhooks();
    for (let rule = 0; rule < 4; rule++) await webhooks.addRule({ url: hook("ok", freshKey(), rule) });
    await addDue(webhooks, 4);
    const runId = await startRun();
    const runStart = clock.now();
    const deadline = runStart + 40_000;
    const counts = await webhooks.retry({ runId, fence: null, runStart, deadline, batchSize: 10 });
    expect(counts).toMatchObject({ webhook_deliveries_succeeded: 16 });
    const message = { v: 1, kind: "drain", run_id: runId, fence: null, run_start: runStart, deadline };
    expect(webhooks.helpers).toEqual([message, message]);
    expect(webhooks.helpers.every((message) => readDrainMessage(message) !== null)).toBe(true);
  });

  it("are not requested after a smaller claim, nor by a run that is not recorded", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule({ url: hook("ok", freshKey()) });
    await addDue(webhooks, 4);
    await webhooks.retry({ runId: await startRun(), batchSize: 10 });
    await addDue(webhooks, 4);
    await webhooks.retry({ runId: null, batchSize: 2 });
    expect(webhooks.helpers).toEqual([]);
  });

  it("deliver as part of the run, and add their counts to the run and to the totals, even after the run has ended", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("ok", key) });
    await webhooks.addRule({ url: hook("500", freshKey(), 1) });
    await addDue(webhooks, 3);
    const before = await totals();
    const runId = await startRun("succeeded");
    await changeRun(runId, { counts: { webhook_deliveries_attempted: 5 } });
    const now = clock.now();
    const message = {
      v: 1 as const,
      kind: "drain" as const,
      run_id: runId,
      fence: null,
      run_start: now,
      deadline: now + 9000,
    };
    await drain(webhooks.build(), message);
    expect(await countsOf(runId)).toEqual({
      webhook_deliveries_attempted: 11,
      webhook_deliveries_succeeded: 3,
      webhook_deliveries_failed: 3,
    });
    const after = await totals();
    const grown = (name: string) => (after[`items.${name}`] ?? 0) - (before[`items.${name}`] ?? 0);
    expect(RETRY_COUNTS.map(grown)).toEqual([6, 3, 3, 0, 0, 0, 0, 0]);
    const attempts = await webhooks.attempts();
    expect(attempts).toHaveLength(6);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({ trigger: "automatic_retry", scheduled_job_run_id: runId });
    }
    expect((await recorded(key)).map(({ headers }) => headers["x-request-id"])).toEqual(Array(3).fill(`sjr-${runId}`));
  });

  it("count an attempt once when the database repeats batches", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule({ url: hook("ok", freshKey()) });
    await addDue(webhooks, 3);
    const runId = await startRun();
    const twice = repeatBatches(webhooks.build().platformDb);
    const now = clock.now();
    const message = {
      v: 1 as const,
      kind: "drain" as const,
      run_id: runId,
      fence: null,
      run_start: now,
      deadline: now + 9000,
    };
    await drain(webhooks.build(oneDatabase(twice)), message);
    expect(await countsOf(runId)).toMatchObject({ webhook_deliveries_attempted: 3, webhook_deliveries_succeeded: 3 });
  });

  it("do nothing after the deadline, or for a run that lost its lock", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule({ url: hook("ok", freshKey()) });
    await addDue(webhooks, 1);
    const now = clock.now();
    const message = { v: 1 as const, kind: "drain" as const, run_id: 1, fence: null, run_start: now, deadline: now };
    await drain(webhooks.build(), message);
    await setFence(9, "retry_webhooks");
    await drain(webhooks.build(), { ...message, fence: 8, deadline: now + 5000 });
    expect(await webhooks.attempts()).toEqual([]);
  });

  it("continue when an invocation reaches its limit of statements", async () => {
    const webhooks = startWebhooks();
    for (let rule = 0; rule < 6; rule++) await webhooks.addRule({ url: hook("ok", freshKey(), rule) });
    await addDue(webhooks, 90);
    const runId = await startRun();
    const now = clock.now();
    // With one row per claim, the run soon reaches its limit of statements.
    await webhooks.retry({ runId, runStart: now, deadline: now + 50_000, batchSize: 1 });
    const remaining = (await webhooks.deliveries()).filter(({ status }) => status === "failed").length;
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThan(540);
    expect(webhooks.helpers).toHaveLength(3);
    const [message] = webhooks.helpers.slice(-1);
    if (message) await drain(webhooks.build(), message);
    expect((await webhooks.deliveries()).every(({ status }) => status === "delivered")).toBe(true);
    expect(await webhooks.attempts()).toHaveLength(540);
  }, 60_000);
});
