import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { counters } from "../../../db/identity/schema";
import { holdsFence } from "../../../db/kit/jobs";
import { DatabaseError } from "../../../workers/kit/db/db";
import { openBroker } from "../../../workers/kit/jobs/lock/broker";
import { advance, createJob, linesOf } from "../../support/jobs/job-runner";
import { brokenLocks, gate, nextTick } from "../../support/jobs/jobs";
import { eventsOfJob, setFence } from "../../support/jobs/rows";
import { restoreAfterEach } from "../../support/restore";
import { db, insertRow } from "../../support/webhooks/rows";

restoreAfterEach();

describe("the job lock", () => {
  it("lets one of two schedulers run, while the other only counts a skipped run", async () => {
    const lines = linesOf("log");
    const mayFinish = gate();
    const started = gate();
    const job = createJob(async () => {
      started.open();
      await mayFinish.opened;
      return { items: 1 };
    });
    const first = job.start();
    await started.opened;
    expect(await Promise.all([job.start(), job.start({ trigger: "command" })])).toEqual([
      { kind: "skipped" },
      { kind: "skipped" },
    ]);
    mayFinish.open();
    expect((await first).kind).toBe("succeeded");
    expect(await job.stored()).toHaveLength(1);
    expect(await job.counters()).toMatchObject({ "runs.succeeded": 1, "runs.skipped_locked": 2 });
    expect(await job.state()).toMatchObject({ last_skipped_at: expect.any(Number) });
    const skipLines = lines().filter(({ message }) => message === "another run is in progress");
    expect(skipLines).toHaveLength(2);
    expect(skipLines[0]).toMatchObject({ job: job.name, holder_trigger: "scheduler", holder_host: expect.any(String) });
    expect(await eventsOfJob(job.name)).toHaveLength(1);
  });

  it("allows each tick once, however often it is delivered, and never an older tick", async () => {
    const job = createJob();
    const scheduledTime = nextTick();
    expect((await job.start({ scheduledTime })).kind).toBe("succeeded");
    expect((await job.start({ scheduledTime })).kind).toBe("skipped");
    expect((await job.start({ scheduledTime: scheduledTime - 60_000 })).kind).toBe("skipped");
    expect((await job.start({ trigger: "command" })).kind).toBe("succeeded");
    expect((await job.start({ scheduledTime: scheduledTime + 60_000 })).kind).toBe("succeeded");
    expect((await job.stored()).map((row) => row.lock_fence)).toEqual([1, 2, 3]);
  });

  it("is not acquired by a command that runs without the lock", async () => {
    const mayFinish = gate();
    const started = gate();
    const job = createJob(async (run) => {
      if (run.fence === null) return { items: 2 };
      started.open();
      await mayFinish.opened;
      return { items: 1 };
    });
    const first = job.start();
    await started.opened;
    expect((await job.start({ trigger: "command", withLock: false })).kind).toBe("succeeded");
    mayFinish.open();
    expect((await first).kind).toBe("succeeded");
    expect((await job.stored()).map(({ lock_fence, trigger }) => [lock_fence, trigger])).toEqual([
      [1, "scheduler"],
      [null, "command"],
    ]);
  });

  it("prevents changes by a run that has lost the lock", async () => {
    linesOf("error");
    const items = `rows_${crypto.randomUUID().slice(0, 8)}`;
    let deleted = -1;
    const job = createJob(async (run) => {
      await setFence((run.fence ?? 0) + 1, job.name);
      const isHeld = holdsFence(job.name, sql`${run.fence}`);
      deleted = (await db.delete(counters).where(and(eq(counters.name, items), isHeld))).meta.changes;
      return { items: 1 };
    });
    await insertRow(counters, { company_id: -1, name: items, value: 1 });
    expect(await job.start()).toMatchObject({ kind: "failed" });
    expect(deleted).toBe(0);
    expect((await job.stored()).map((row) => [row.status, row.event_log_id])).toEqual([["running", null]]);
    expect(await job.counters()).toEqual({});
  });

  it("expires after a run was killed, and the next run marks the killed run as interrupted", async () => {
    linesOf("error");
    const warnings = linesOf("warn");
    let isKilled = false;
    const job = createJob(async () => {
      isKilled = true;
      return { items: 1 };
    });
    const { services } = job.build();
    const db = {
      ...services.db,
      batch: ((statements) =>
        isKilled
          ? Promise.reject(new DatabaseError("gone"))
          : services.db.batch(statements)) as typeof services.db.batch,
    };
    const broker = services.broker && { ...services.broker, release: () => Promise.reject(new Error("gone")) };
    await job.start({}, { platformDb: db, broker });
    advance(110_000);
    expect((await job.start()).kind).toBe("skipped");
    advance(12_000);
    expect((await job.start()).kind).toBe("succeeded");
    const [killed, next] = await job.stored();
    expect(killed).toMatchObject({
      status: "failed",
      error_key: "interrupted",
      finished_at: next?.started_at,
      event_log_id: null,
    });
    expect([killed?.lock_fence, next?.lock_fence]).toEqual([1, 2]);
    expect(await job.counters()).toMatchObject({ "runs.failed": 1, "runs.succeeded": 1, "runs.skipped_locked": 1 });
    expect(await job.state()).toMatchObject({ last_failure_at: next?.started_at, last_success_at: next?.finished_at });
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "a run was interrupted", scheduled_job_run_id: killed?.id }),
    );
  });
});

describe("a renewed job lock", () => {
  const short = { lockSeconds: 1, renewedSeconds: 120 };
  const holderOf = async (job: ReturnType<typeof createJob>) =>
    (await job.build().services.broker?.holder(job.name)) ?? null;

  it("is held exactly as long as its run works", async () => {
    const mayFinish = gate();
    const started = gate();
    const job = createJob(async () => {
      started.open();
      await mayFinish.opened;
      return { items: 1 };
    }, short);
    const first = job.start();
    await started.opened;
    const acquired = await holderOf(job);
    const extendedBy = async () => ((await holderOf(job))?.expires_at ?? 0) - (acquired?.expires_at ?? 0);
    await expect.poll(extendedBy, { timeout: 5000 }).toBeGreaterThan(1000);
    expect((await job.start()).kind).toBe("skipped");
    mayFinish.open();
    expect((await first).kind).toBe("succeeded");
    expect(await holderOf(job)).toBeNull();
    expect((await job.stored()).map((row) => row.status)).toEqual(["succeeded"]);
  });

  it("ends its run when the broker rejects a renewal", async () => {
    linesOf("error");
    const started = gate();
    const job = createJob(async () => {
      started.open();
      return new Promise<never>(() => {});
    }, short);
    const { services } = job.build();
    const broker = services.broker && { ...services.broker, renew: async () => false };
    expect(await job.start({}, { broker })).toMatchObject({ kind: "failed", failure: { key: "broker_error" } });
  });

  it("blocks other runs until it expires after a kill, and then the killed run is marked as interrupted", async () => {
    linesOf("error");
    linesOf("warn");
    let isKilled = false;
    const job = createJob(
      async () => {
        isKilled = true;
        return { items: 1 };
      },
      { lockSeconds: 20, renewedSeconds: 120 },
    );
    const { services } = job.build();
    const batch = ((statements) =>
      isKilled ? Promise.reject(new DatabaseError("gone")) : services.db.batch(statements)) as typeof services.db.batch;
    const broker = services.broker && { ...services.broker, release: () => Promise.reject(new Error("gone")) };
    await job.start({}, { platformDb: { ...services.db, batch }, broker });
    advance(15_000);
    expect((await job.start()).kind).toBe("skipped");
    advance(6000);
    expect((await job.start()).kind).toBe("succeeded");
    advance(100_000);
    expect((await job.start()).kind).toBe("succeeded");
    expect((await job.stored()).map((row) => row.error_key)).toEqual(["interrupted", null, null]);
  });

  it("does not block work that needs no lock", async () => {
    linesOf("error");
    linesOf("warn");
    let times = 0;
    const count = () => {
      times += 1;
    };
    const mayFinish = gate();
    const started = gate();
    const work = async () => {
      started.open();
      await mayFinish.opened;
      return { items: 1 };
    };
    const job = createJob(work, { runUnlocked: async () => count() });
    const first = job.start();
    await started.opened;
    expect([times, (await job.start()).kind, times]).toEqual([0, "skipped", 1]);
    const broker = openBroker(brokenLocks(false), "identity", () => undefined);
    expect((await job.start({}, { broker })).kind).toBe("failed");
    expect(times).toBe(2);
    mayFinish.open();
    expect((await first).kind).toBe("succeeded");
  });
});

describe("a broker that does not respond", () => {
  it.each([
    ["rejects", false],
    ["hangs", true],
  ])("makes job runs fail with broker_error when it %s", async (_how, hang) => {
    linesOf("error");
    linesOf("warn");
    let hasRun = false;
    const job = createJob(async () => {
      hasRun = true;
      return {};
    });
    const broker = openBroker(brokenLocks(hang), "identity", () => undefined);
    expect(await job.start({}, { broker })).toMatchObject({ kind: "failed", failure: { key: "broker_error" } });
    const [row] = await job.stored();
    expect(row).toMatchObject({ status: "failed", error_key: "broker_error", error_class: "BrokerError" });
    expect(row?.lock_fence).toBeNull();
    expect(await job.event(row?.event_log_id ?? null)).toMatchObject({ event_type: "identity.scheduled_job.failed" });
    expect(await job.counters()).toEqual({ "runs.failed": 1 });
    expect(hasRun).toBe(false);
  });

  it("lets a command run without the lock, with a warning, when no broker is bound", async () => {
    const warnings = linesOf("warn");
    const job = createJob();
    expect((await job.start({ trigger: "command" }, { broker: null })).kind).toBe("succeeded");
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "no broker is bound; the job runs without a lock" }),
    );
  });
});
