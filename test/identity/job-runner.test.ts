import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JobRunRow } from "../../db/kit/jobs";
import type { IdentityBindings } from "../../workers/identity/bindings";
import { type IdentityServices, services } from "../../workers/identity/services";
import { clock } from "../../workers/kit/clock";
import { DatabaseError } from "../../workers/kit/db";
import { openBroker } from "../../workers/kit/jobs/broker";
import { type RunRequest, runJob } from "../../workers/kit/jobs/run";
import { holdsFence } from "../../workers/kit/jobs/store";
import { type Counts, everyMinute, type Job, type JobRun } from "../../workers/kit/jobs/types";
import { createLog } from "../../workers/kit/log";
import { rows } from "../support/identity";
import { brokenLocks, nextTick } from "../support/jobs";

const bindings = env as unknown as IdentityBindings;
const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
  vi.restoreAllMocks();
});

const advance = (ms: number) => {
  const base = clock.now;
  clock.now = () => base() + ms;
};

/** A job of this test's own, with what it does and how it is asked to run. */
function setUp(work: (run: JobRun, own: IdentityServices) => Promise<Counts> = async () => ({ items: 3 })) {
  const name = `job_${crypto.randomUUID().slice(0, 8)}`;
  const job: Job<IdentityServices> = {
    name,
    schedule: everyMinute,
    overdueAfterSeconds: 180,
    lockSeconds: 120,
    counts: ["items"],
    scheduledFlags: {},
    run: (own, run) => work(run, own),
    summarize: (counts) => `items=${counts.items}`,
    preview: async () => ({ summary: "", counts: {} }),
  };
  const set = { service: "identity", jobs: [job] };
  const build = (overrides: Partial<IdentityServices> = {}, vars: Partial<IdentityBindings> = {}) => {
    const ctx = createExecutionContext();
    const log = createLog({ service: "identity", request_id: "tick" });
    const own = services(
      { ...bindings, ...vars },
      { requestId: "tick", log, waitUntil: (promise) => ctx.waitUntil(promise) },
    );
    return { ctx, own: { ...own, ...overrides } };
  };
  const start = async (
    request: Partial<RunRequest> = {},
    overrides: Partial<IdentityServices> = {},
    vars: Partial<IdentityBindings> = {},
  ) => {
    const { ctx, own } = build(overrides, vars);
    const scheduled = request.trigger === "command" ? {} : { scheduledTime: nextTick() };
    const end = await runJob(own, set, job, {
      ...{ trigger: "scheduler", flags: {}, withLock: true },
      ...scheduled,
      ...request,
    });
    await waitOnExecutionContext(ctx);
    return end;
  };
  return {
    name,
    start,
    build,
    stored: () => rows<JobRunRow>("SELECT * FROM scheduled_job_runs WHERE job = ? ORDER BY id", name),
    state: async () => (await rows("SELECT * FROM scheduled_job_states WHERE job = ?", name))[0],
    counters: async () =>
      Object.fromEntries(
        (
          await rows<{ name: string; value: number }>(
            "SELECT name, value FROM scheduled_job_counters WHERE job = ?",
            name,
          )
        ).map((row) => [row.name, row.value]),
      ),
    event: async (id: number | null) =>
      (
        await rows<{ event_type: string; data: string; company_id: null }>("SELECT * FROM event_log WHERE id = ?", id)
      )[0],
  };
}

/** A promise that a test settles. */
function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

const linesOf = (method: "log" | "warn" | "error") => {
  const spy = vi.spyOn(console, method).mockImplementation(() => {});
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
};

describe("a run", () => {
  it("that fails keeps the counts of what it had done", async () => {
    linesOf("error");
    const job = setUp(async (run) => {
      run.report({ items: 1 });
      run.report({ items: 2 });
      throw new DatabaseError("gone");
    });
    await job.start();
    const [row] = await job.stored();
    expect(row).toMatchObject({ status: "failed", error_key: "database_error" });
    expect(JSON.parse(row?.counts ?? "")).toEqual({ items: 2 });
    expect(await job.counters()).toEqual({ "runs.failed": 1, "items.items": 2 });
    const event = await job.event(row?.event_log_id ?? null);
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ counts: { items: 2 }, error_key: "database_error" });
  });

  it("is recorded with its counts, state, counters and platform event, and logs one summary line", async () => {
    const lines = linesOf("log");
    const seen: { run: JobRun; requestId: string }[] = [];
    const job = setUp(async (run, own) => {
      seen.push({ run, requestId: own.requestId });
      own.log.info("at work");
      return { items: 3, complete: true };
    });
    const end = await job.start();
    const [row] = await job.stored();
    expect(end).toEqual({
      kind: "succeeded",
      runId: row?.id,
      counts: { items: 3, complete: true },
      summary: "items=3",
    });
    expect(row).toMatchObject({
      ...{ trigger: "scheduler", status: "succeeded", error_key: null, error_class: null, error_message: null },
      lock_fence: 1,
      host: expect.stringMatching(/^platform-identity@(?:[A-Z]{3}|unknown):[0-9a-f]{8}$/),
    });
    expect(JSON.parse(row?.counts ?? "")).toEqual({ items: 3, complete: true });
    expect(row?.duration_ms).toBe((row?.finished_at ?? 0) - (row?.started_at ?? 0));
    expect(await job.state()).toMatchObject({
      ...{ last_started_at: row?.started_at, last_success_at: row?.finished_at, last_failure_at: null, fence: 1 },
      last_duration_ms: row?.duration_ms,
    });
    expect(await job.counters()).toEqual({ "runs.succeeded": 1, "items.items": 3 });
    const event = await job.event(row?.event_log_id ?? null);
    expect(event).toMatchObject({ event_type: "identity.scheduled_job.succeeded", company_id: null });
    expect(JSON.parse(event?.data ?? "")).toEqual({
      ...{ run_id: row?.id, job: job.name, trigger: "scheduler", duration_ms: row?.duration_ms, host: row?.host },
      counts: { items: 3, complete: true },
    });
    const requestId = `sjr-${row?.id}`;
    expect(seen.map((one) => one.requestId)).toEqual([requestId]);
    expect(lines().map(({ message, request_id }) => ({ message, request_id }))).toEqual([
      { message: "at work", request_id: requestId },
      { message: `${job.name}: items=3 run_id=${row?.id}`, request_id: requestId },
    ]);
  });

  it("that fails is recorded with key, class and sanitized message, logged, reported and leaves the lock free", async () => {
    const errors = linesOf("error");
    const posted: { url: string; body: Record<string, unknown> }[] = [];
    const fetch = (async (url: string, init: RequestInit) => {
      posted.push({ url, body: JSON.parse(String(init.body)) as Record<string, unknown> });
      return new Response("{}");
    }) as typeof globalThis.fetch;
    const job = setUp(async () => {
      throw new RangeError("no answer of https://u:p@host.example/path?token=abc for\nBearer abc.def");
    });
    const end = await job.start({}, { fetch }, { ERROR_REPORTING_DSN: "https://key@errors.example/7" });
    const [row] = await job.stored();
    const message = "no answer of https://host.example/path for Bearer [Filtered]";
    expect(end).toMatchObject({ kind: "failed", runId: row?.id });
    expect(row).toMatchObject({
      ...{ status: "failed", error_key: "unexpected_error", error_class: "RangeError", error_message: message },
      counts: "{}",
    });
    expect(await job.counters()).toEqual({ "runs.failed": 1 });
    expect(await job.state()).toMatchObject({ last_failure_at: row?.finished_at, last_success_at: null });
    const event = await job.event(row?.event_log_id ?? null);
    expect(event?.event_type).toBe("identity.scheduled_job.failed");
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ error_key: "unexpected_error", error_class: "RangeError" });
    expect(event?.data).not.toContain("no answer");
    expect(errors()).toEqual([
      expect.objectContaining({ error_class: "RangeError", error_message: message, request_id: `sjr-${row?.id}` }),
    ]);
    expect(posted).toEqual([
      {
        url: "https://errors.example/api/7/store/",
        body: expect.objectContaining({
          tags: {
            scheduled_job: job.name,
            scheduled_job_trigger: "scheduler",
            scheduled_job_run_id: String(row?.id),
          },
        }),
      },
    ]);
    expect((await job.start()).kind).toBe("failed");
  });

  it.each([
    ["database_error", new DatabaseError("no such table")],
    ["timeout", new DOMException("late", "TimeoutError")],
    ["timeout", new DOMException("gone", "AbortError")],
    ["network_error", new TypeError("Network connection lost.")],
    ["network_error", new Error("post failed", { cause: new Error("DNS points nowhere") })],
    ["unexpected_error", new Error("what")],
    ["unexpected_error", "a text"],
  ])("that throws is a %s", async (key, thrown) => {
    linesOf("error");
    const job = setUp(async () => {
      throw thrown;
    });
    await job.start();
    expect((await job.stored())[0]).toMatchObject({ status: "failed", error_key: key });
  });

  it("whose work does not end stops by itself 10 s before its lock ends", async () => {
    linesOf("error");
    const job = setUp(() => new Promise(() => {}));
    const begun = clock.now();
    // The lock is taken at the present time; everything after happens when only 10.05 s of it are left.
    let calls = 0;
    const { own } = job.build();
    const broker = own.broker && {
      ...own.broker,
      acquire: async (...args: Parameters<NonNullable<typeof own.broker>["acquire"]>) => {
        const taken = await own.broker?.acquire(...args);
        if (!taken) throw new Error("no broker");
        calls += 1;
        advance(109_950 - (clock.now() - begun));
        return taken;
      },
    };
    await job.start({}, { broker });
    expect(calls).toBe(1);
    expect((await job.stored())[0]).toMatchObject({ status: "failed", error_key: "timeout" });
  });

  it("adds its counts to those that helpers added to the row meanwhile", async () => {
    const job = setUp(async (run) => {
      await rows(`UPDATE scheduled_job_runs SET counts = '{"items":4,"others":1}' WHERE id = ?`, run.id);
      return { items: 3, complete: false };
    });
    await job.start();
    const [row] = await job.stored();
    expect(JSON.parse(row?.counts ?? "")).toEqual({ items: 7, others: 1, complete: false });
    expect(await job.counters()).toMatchObject({ "items.items": 3 });
  });

  it("is stored once when its batches come twice", async () => {
    const job = setUp();
    const { own } = job.build();
    const batch = own.db.batch;
    const db = {
      ...own.db,
      batch: (async (statements: D1PreparedStatement[]) => {
        await batch(statements);
        return batch(statements);
      }) as typeof batch,
    };
    expect(await job.start({}, { db })).toMatchObject({ kind: "succeeded" });
    expect(await job.stored()).toHaveLength(1);
    expect(await job.counters()).toEqual({ "runs.succeeded": 1, "items.items": 3 });
    expect(await rows("SELECT id FROM event_log WHERE data ->> '$.job' = ?", job.name)).toHaveLength(1);
  });
});

describe("the lock", () => {
  it("lets one of two schedulers run; the other only counts", async () => {
    const lines = linesOf("log");
    const busy = gate();
    const begun = gate();
    const job = setUp(async () => {
      begun.open();
      await busy.passed;
      return { items: 1 };
    });
    const first = job.start();
    await begun.passed;
    expect(await Promise.all([job.start(), job.start({ trigger: "command" })])).toEqual([
      { kind: "skipped" },
      { kind: "skipped" },
    ]);
    busy.open();
    expect((await first).kind).toBe("succeeded");
    expect(await job.stored()).toHaveLength(1);
    expect(await job.counters()).toMatchObject({ "runs.succeeded": 1, "runs.skipped_locked": 2 });
    expect(await job.state()).toMatchObject({ last_skipped_at: expect.any(Number) });
    const told = lines().filter(({ message }) => message === "another run is in progress");
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ job: job.name, holder_trigger: "scheduler", holder_host: expect.any(String) });
    expect(await rows("SELECT id FROM event_log WHERE data ->> '$.job' = ?", job.name)).toHaveLength(1);
  });

  it("lets the same tick run once, however often it is delivered, and an older one never", async () => {
    const job = setUp();
    const scheduledTime = nextTick();
    expect((await job.start({ scheduledTime })).kind).toBe("succeeded");
    expect((await job.start({ scheduledTime })).kind).toBe("skipped");
    expect((await job.start({ scheduledTime: scheduledTime - 60_000 })).kind).toBe("skipped");
    expect((await job.start({ trigger: "command" })).kind).toBe("succeeded");
    expect((await job.start({ scheduledTime: scheduledTime + 60_000 })).kind).toBe("succeeded");
    expect((await job.stored()).map((row) => row.lock_fence)).toEqual([1, 2, 3]);
  });

  it("is not asked by a command that says so", async () => {
    const busy = gate();
    const begun = gate();
    const job = setUp(async (run) => {
      if (run.fence === null) return { items: 2 };
      begun.open();
      await busy.passed;
      return { items: 1 };
    });
    const first = job.start();
    await begun.passed;
    expect((await job.start({ trigger: "command", withLock: false })).kind).toBe("succeeded");
    busy.open();
    expect((await first).kind).toBe("succeeded");
    expect((await job.stored()).map(({ lock_fence, trigger }) => [lock_fence, trigger])).toEqual([
      [1, "scheduler"],
      [null, "command"],
    ]);
  });

  it("that a run has lost lets it change nothing", async () => {
    linesOf("error");
    const items = `rows_${crypto.randomUUID().slice(0, 8)}`;
    let deleted = -1;
    const job = setUp(async (run, { db }) => {
      await rows("UPDATE scheduled_job_states SET fence = fence + 1 WHERE job = ?", job.name);
      const text = `DELETE FROM counters WHERE name = ?1 AND ${holdsFence(job.name, "?2")}`;
      deleted = (await db.run(db.prepare(text).bind(items, run.fence))).meta.changes;
      return { items: 1 };
    });
    await rows("INSERT INTO counters (company_id, name, value) VALUES (-1, ?, 1)", items);
    expect(await job.start()).toMatchObject({ kind: "failed" });
    expect(deleted).toBe(0);
    expect((await job.stored()).map((row) => [row.status, row.event_log_id])).toEqual([["running", null]]);
    expect(await job.counters()).toEqual({});
  });

  it("of a run that was killed frees itself, and the next run ends the killed one as interrupted", async () => {
    linesOf("error");
    const warnings = linesOf("warn");
    let isKilled = false;
    const job = setUp(async () => {
      isKilled = true;
      return { items: 1 };
    });
    const { own } = job.build();
    const db = {
      ...own.db,
      batch: ((statements: D1PreparedStatement[]) =>
        isKilled ? Promise.reject(new DatabaseError("gone")) : own.db.batch(statements)) as typeof own.db.batch,
    };
    const broker = own.broker && { ...own.broker, release: () => Promise.reject(new Error("gone")) };
    await job.start({}, { db, broker });
    advance(110_000);
    expect((await job.start()).kind).toBe("skipped");
    advance(12_000);
    expect((await job.start()).kind).toBe("succeeded");
    const [killed, next] = await job.stored();
    expect(killed).toMatchObject({
      ...{ status: "failed", error_key: "interrupted", finished_at: next?.started_at, event_log_id: null },
    });
    expect([killed?.lock_fence, next?.lock_fence]).toEqual([1, 2]);
    expect(await job.counters()).toMatchObject({ "runs.failed": 1, "runs.succeeded": 1, "runs.skipped_locked": 1 });
    expect(await job.state()).toMatchObject({ last_failure_at: next?.started_at, last_success_at: next?.finished_at });
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "a run was interrupted", scheduled_job_run_id: killed?.id }),
    );
  });
});

describe("without a broker that answers", () => {
  it.each([
    ["refuses", false],
    ["hangs", true],
  ])("a run fails with broker_error when it %s", async (_what, hang) => {
    linesOf("error");
    linesOf("warn");
    let worked = false;
    const job = setUp(async () => {
      worked = true;
      return {};
    });
    const broker = openBroker(brokenLocks(hang), "identity", () => undefined);
    expect(await job.start({}, { broker })).toMatchObject({ kind: "failed", failure: { key: "broker_error" } });
    const [row] = await job.stored();
    expect(row).toMatchObject({ status: "failed", error_key: "broker_error", error_class: "BrokerError" });
    expect(row?.lock_fence).toBeNull();
    expect(await job.event(row?.event_log_id ?? null)).toMatchObject({ event_type: "identity.scheduled_job.failed" });
    expect(await job.counters()).toEqual({ "runs.failed": 1 });
    expect(worked).toBe(false);
  });

  it("a command runs unlocked with a warning where none is bound", async () => {
    const warnings = linesOf("warn");
    const job = setUp();
    expect((await job.start({ trigger: "command" }, { broker: null })).kind).toBe("succeeded");
    expect(warnings()).toContainEqual(
      expect.objectContaining({ message: "no broker is bound, the run takes no lock" }),
    );
  });
});

describe("JOBS_WORKER_CONCURRENCY", () => {
  it("bounds the runs of an isolate; the rest waits for its turn", async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 60));
      running -= 1;
      return { items: 1 };
    };
    const jobs = Array.from({ length: 4 }, () => setUp(work));
    const ends = await Promise.all(jobs.map((job) => job.start({}, {}, { JOBS_WORKER_CONCURRENCY: "2" })));
    expect(ends.map(({ kind }) => kind)).toEqual(Array(4).fill("succeeded"));
    expect(most).toBe(2);
  });
});
