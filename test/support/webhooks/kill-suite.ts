import { randomUUID } from "node:crypto";
import { and, asc, count, eq, gt, inArray, isNull, like, lte, or, type SQL, sql, sum } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  action_counters,
  action_deliveries,
  delivery_attempts,
  event_log,
  scheduled_job_runs,
} from "../../../db/hosting/schema";
import { type KillablePlatform, openKillablePlatform } from "../platform/killable-platform";
import { startReceivers } from "./receivers";
import type { RecordedCall } from "./receivers-process";

const type = "hosting.access.changed";
const secret = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";

/**
 * A company's subscription to a receiver, and the expected final state of its deliveries. The key in `cases` is the
 * receiver's scenario.
 */
export type Case = {
  company: number;
  receiver: number;
  status: string;
  attempts: number;
  code: string | null;
  http?: number;
};

type Rule = Case & { scenario: string; key: string; id: number };

export type KillPlan = {
  cases: Record<string, Case>;
  /** number of events by company */
  amounts: ReadonlyMap<number, number>;
  /** number of kills during first attempts */
  firstKills: number;
  /** rounds of retries in which the runtime is killed */
  retryKills: number[];
};

/**
 * Kills all Workers while they deliver webhooks. Afterwards every event must have been delivered, or have failed in its
 * last attempt.
 */
export function checkKills({ cases, amounts, firstKills, retryKills }: KillPlan): void {
  let platform: KillablePlatform;
  let stopReceivers = () => {};
  let control = "";
  const rules: Rule[] = [];
  /** times of each kill and restart */
  const kills: { from: number; until: number }[] = [];
  /** lease of a retry run; the lease of a first attempt is its timeout plus 5 s */
  const leaseMs = 120_000;
  const firstLeaseMs = 8000;
  /** Upper bound for how long a killed retry run has held its claims. */
  const runMs = 60_000;
  /** what the kills interrupted: locks of runs, leases of attempts, and wake-up messages that were lost */
  const interrupted = { runs: 0, leases: 0, wakeUpMessages: 0 };
  /** ids of emitted events by company */
  const emittedIds = new Map<number, string[]>();

  beforeAll(async () => {
    const { receivers, stop } = await startReceivers();
    stopReceivers = stop;
    control = receivers.control;
    platform = await openKillablePlatform({
      hosting: {
        ACTIONS_WEBHOOK_ALLOW_PRIVATE: "true",
        // The timeout is long enough for receivers that respond, even when other tests use the CPU.
        ACTIONS_WEBHOOK_TIMEOUT_SECONDS: "3",
      },
    });
    await platform.start();
    const newRules = Object.entries(cases).map(([scenario, entry]) => {
      const key = randomUUID();
      const url = `${receivers.origins[entry.receiver] ?? ""}/hook/${scenario}/${key}`;
      return { ...entry, scenario, key, request: { company_id: entry.company, type, url, secret } };
    });
    const ids = await platform.createRules(newRules.map(({ request }) => request));
    rules.push(...newRules.map(({ request: _request, ...rule }, index) => ({ ...rule, id: ids[index] ?? 0 })));
  }, 180_000);
  afterAll(async () => {
    await platform?.close();
    stopReceivers();
  });

  const recorded = async ({ key }: Rule): Promise<RecordedCall[]> =>
    (await fetch(`${control}/recorded/${key}?secret=${encodeURIComponent(secret)}`)).json();

  const deliveries = action_deliveries;
  const runs = scheduled_job_runs;

  const countRows = async (table: SQLiteTable, where?: SQL): Promise<number> =>
    (await platform.hosting.select({ n: count() }).from(table).where(where))[0]?.n ?? 0;

  /** Returns the condition that no lease holds a delivery at the time `now` (ms since the epoch). */
  const isFreeAt = (now: number) => sql`coalesce(${deliveries.locked_until}, 0) <= ${now}`;

  const isNotDispatched = and(eq(deliveries.status, "pending"), isNull(deliveries.dispatched_at));

  /**
   * Kills all Workers at once, restarts them on the stored data, and ends the leases and locks that would delay the
   * test.
   */
  async function killAndStart(): Promise<void> {
    const from = await platform.kill();
    interrupted.runs += platform.expireLocks();
    await platform.start();
    kills.push({ from, until: Date.now() });
    // Selects only leases from before the kill. The restarted Workers have already claimed deliveries: leases of their
    // first attempts end after `from + firstLeaseMs`, leases of their runs after `from + leaseMs`.
    const until = deliveries.locked_until;
    const isOfRun = and(gt(until, from + leaseMs - runMs), lte(until, from + leaseMs));
    const leases = await platform.hosting
      .update(deliveries)
      .set({ locked_until: 1 })
      .where(or(lte(until, from + firstLeaseMs), isOfRun))
      .returning({ seq: deliveries.seq });
    interrupted.leases += leases.length;
    interrupted.wakeUpMessages += await countRows(deliveries, isNotDispatched);
    await platform.hosting
      .update(runs)
      .set({ started_at: sql`${runs.started_at} - ${leaseMs}` })
      .where(eq(runs.status, "running"));
  }

  /**
   * Emits events in batches of one to five, several in parallel, and repeats a batch with the same ids until it is
   * acknowledged.
   */
  async function emitAll(batches: { company_id: number; ids: string[] }[]): Promise<void> {
    const queue = [...batches];
    const work = async () => {
      for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
        for (let attempt = 1; ; attempt++) {
          try {
            await platform.emit({ ...batch, type });
            break;
          } catch (error) {
            if (attempt > 100) throw error;
            await new Promise((wait) => setTimeout(wait, 300));
          }
        }
      }
    };
    await Promise.all([work(), work(), work()]);
  }

  function makeBatches(): { company_id: number; ids: string[] }[] {
    const batches = [...amounts].flatMap(([company_id, amount]) => {
      const ids = Array.from({ length: amount }, () => randomUUID());
      emittedIds.set(company_id, ids);
      const parts: string[][] = [];
      for (let at = 0; at < ids.length; at += parts.at(-1)?.length ?? 0) parts.push(ids.slice(at, at + 1 + (at % 5)));
      return parts.map((part, index) => ({ company_id, ids: part, place: index / parts.length }));
    });
    return batches.sort((a, b) => a.place - b.place).map(({ company_id, ids }) => ({ company_id, ids }));
  }

  const waitOf = ({ scenario }: Rule, attempt: number) => (scenario === "429-after-7" ? 7 : 30 * 2 ** (attempt - 1));

  /**
   * Makes every waiting delivery due now, after comparing its wait with the schedule. Returns the number of unfinished
   * deliveries.
   */
  async function passTime(): Promise<number> {
    const now = Date.now();
    const isLater = and(isFreeAt(now), gt(deliveries.due_at, now));
    const waiting = await platform.hosting
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.status, "failed"), isLater));
    const wrong = waiting.filter(({ rule_id, attempt_count, due_at, updated_at }) => {
      const rule = rules.find(({ id }) => id === rule_id);
      return rule === undefined || due_at - updated_at !== waitOf(rule, attempt_count) * 1000;
    });
    expect(wrong).toEqual([]);
    const isOpen = inArray(deliveries.status, ["pending", "failed"]);
    await platform.hosting
      .update(deliveries)
      .set({ due_at: now, updated_at: sql`${now} - (${deliveries.due_at} - ${deliveries.updated_at})` })
      .where(and(isOpen, isLater));
    return countRows(deliveries, isOpen);
  }

  it("delivers every event or fails after its last attempt, even when the runtime is killed repeatedly", async () => {
    const batches = makeBatches();
    const size = Math.ceil(batches.length / firstKills);

    // Kills while first attempts run and events arrive.
    for (let at = 0; at < batches.length; at += size) {
      const part = batches.slice(at, at + size);
      const before = await countRows(delivery_attempts);
      const emitted = emitAll(part);
      // On a slow machine the consumer may be idle, so the kill waits until there is work to interrupt.
      const isWorking = async () => {
        const [attempts, leased, undispatched] = await Promise.all([
          countRows(delivery_attempts),
          countRows(deliveries, gt(deliveries.locked_until, Date.now())),
          countRows(deliveries, isNotDispatched),
        ]);
        return attempts > before + 10 && leased > firstKills + 2 && undispatched > 2;
      };
      await expect.poll(isWorking, { timeout: 60_000, interval: 20 }).toBe(true);
      await killAndStart();
      await emitted;
    }

    // Kills during retry runs. Two schedulers start at once, and only one may run the job.
    let unfinished = await passTime();
    for (let round = 0; unfinished > 0 && round < 30; round++) {
      const cronRuns = Promise.allSettled([platform.runCron(), platform.runCron()]);
      if (retryKills.includes(round)) {
        const isRetry = and(eq(runs.job, "retry_webhooks"), eq(runs.status, "running"));
        const isRunning = () => countRows(runs, isRetry);
        await expect.poll(isRunning, { timeout: 60_000, interval: 20 }).toBe(1);
        const isLeased = and(gt(deliveries.locked_until, Date.now()), gt(deliveries.attempt_count, 0));
        await expect.poll(() => countRows(deliveries, isLeased), { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
        await killAndStart();
      }
      await cronRuns;
      unfinished = await passTime();
    }
    expect(unfinished).toBe(0);
  }, 480_000);

  describe("the state after the kills", () => {
    it("includes the interrupted runs, and each event once", async () => {
      expect(kills).toHaveLength(firstKills + retryKills.length);
      // Without interrupted work the test would prove nothing.
      expect(interrupted.runs).toBe(retryKills.length);
      expect(interrupted.leases).toBeGreaterThan(firstKills);
      expect(interrupted.wakeUpMessages).toBeGreaterThan(0);
      const ended = await platform.hosting
        .select({ status: runs.status, error_key: runs.error_key, n: count() })
        .from(runs)
        .where(eq(runs.job, "retry_webhooks"))
        .groupBy(runs.status, runs.error_key)
        .orderBy(asc(runs.status));
      const interruptedRuns = { status: "failed", error_key: "interrupted", n: interrupted.runs };
      expect(ended).toEqual([
        ...(interrupted.runs > 0 ? [interruptedRuns] : []),
        { status: "succeeded", error_key: null, n: expect.any(Number) },
      ]);
      const stored = await platform.hosting
        .select({ company_id: event_log.company_id, event_id: event_log.id })
        .from(event_log)
        // Excludes events that the service itself emits about failing subscriptions.
        .where(and(gt(event_log.company_id, 0), eq(event_log.event_type, type)));
      for (const [company, ids] of emittedIds) {
        const storedIds = stored.filter(({ company_id }) => company_id === company).map(({ event_id }) => event_id);
        expect(storedIds.sort()).toEqual([...ids].sort());
      }
    });

    it.each(Object.keys(cases))("%s: each delivery has the expected status and attempt count", async (scenario) => {
      const rule = rules.find((entry) => entry.scenario === scenario);
      if (rule === undefined) throw new Error("no such rule");
      const isOfRule = eq(deliveries.rule_id, rule.id);
      const rows = await platform.hosting.select().from(deliveries).where(isOfRule);
      const { delivery_seq, attempt_number, error_code, http_status } = delivery_attempts;
      const allAttempts = await platform.hosting
        .select({ seq: delivery_seq, facts: { attempt_number, error_code, http_status } })
        .from(delivery_attempts)
        .innerJoin(deliveries, eq(deliveries.seq, delivery_seq))
        .where(isOfRule)
        .orderBy(asc(delivery_attempts.id));
      const ids = emittedIds.get(rule.company) ?? [];
      expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...ids].sort());
      for (const delivery of rows) {
        expect(delivery).toMatchObject({
          status: rule.status,
          attempt_count: rule.attempts,
          last_error_code: rule.code,
          locked_until: null,
        });
        const attempts = allAttempts.flatMap(({ seq, facts }) => (seq === delivery.seq ? [facts] : []));
        expect(attempts.map((attempt) => attempt.attempt_number)).toEqual(
          Array.from({ length: rule.attempts }, (_, n) => n + 1),
        );
        const last = { attempt_number: rule.attempts, error_code: rule.code, http_status: rule.http ?? null };
        expect(attempts.at(-1)).toEqual(last);
      }

      const calls = await recorded(rule);
      expect(calls.filter((call) => !call.svix || !call.standardwebhooks)).toEqual([]);
      const idOf = ({ headers }: RecordedCall) => headers["webhook-id"] ?? "";
      const sent = new Set(calls.map(idOf));
      expect([...sent].sort()).toEqual([...ids].sort());
      for (const id of sent) {
        const attemptCalls = calls.filter((call) => idOf(call) === id);
        expect(new Set(attemptCalls.map(({ body }) => body)).size).toBe(1);
        const numbers = attemptCalls.map(({ headers }) => Number(headers["x-platform-delivery-attempt"]));
        expect(numbers.at(-1)).toBe(rule.attempts);
        attemptCalls.slice(1).forEach((call, index) => {
          const before = attemptCalls[index];
          const step = (numbers[index + 1] ?? 0) - (numbers[index] ?? 0);
          // A kill loses the result of a running attempt, so the attempt is repeated with the same number.
          const wasKilled = kills.some(({ from, until }) => (before?.at ?? 0) <= until && from <= call.at);
          expect([id, step], "steps of attempt numbers").toEqual([id, wasKilled && step === 0 ? 0 : 1]);
        });
      }
      const { maxParallel } = (await (await fetch(`${control}/running/${rule.key}`)).json()) as { maxParallel: number };
      expect(maxParallel).toBeLessThanOrEqual(8);
    });

    it("contains totals that match the attempts, and no redirect was followed", async () => {
      expect(await (await fetch(`${control}/recorded/moved-target`)).json()).toEqual([]);
      const { company_id, name, value } = action_counters;
      const [totals] = await platform.hosting
        .select({ counted: sum(value).mapWith(Number) })
        .from(action_counters)
        .where(and(eq(company_id, 0), like(name, "webhook_attempts.%")));
      expect(totals?.counted).toBe(await countRows(delivery_attempts));
    });
  });
}
