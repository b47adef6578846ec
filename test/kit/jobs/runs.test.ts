import { describe, expect, it } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { DatabaseError } from "../../../workers/kit/db/db";
import type { JobRun } from "../../../workers/kit/jobs/job";
import { repeatBatches } from "../../support/db/broken-db";
import { advance, createJob, linesOf } from "../../support/jobs/job-runner";
import { changeRun, eventsOfJob } from "../../support/jobs/rows";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

describe("job runs", () => {
  it("keep the counts up to their failure", async () => {
    linesOf("error");
    const job = createJob(async (run) => {
      run.report({ items: 1 });
      run.report({ items: 2 });
      throw new DatabaseError("gone");
    });
    await job.start();
    const [row] = await job.stored();
    expect(row).toMatchObject({ status: "failed", error_key: "database_error" });
    expect(row?.counts).toEqual({ items: 2 });
    expect(await job.counters()).toEqual({ "runs.failed": 1, "items.items": 2 });
    const event = await job.event(row?.event_log_id ?? null);
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ counts: { items: 2 }, error_key: "database_error" });
  });

  it("record counts, state, counters and platform event, and log one summary line", async () => {
    const lines = linesOf("log");
    const runs: { run: JobRun; requestId: string }[] = [];
    const job = createJob(async (run, services) => {
      runs.push({ run, requestId: services.requestId });
      services.log.info("at work");
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
      trigger: "scheduler",
      status: "succeeded",
      error_key: null,
      error_class: null,
      error_message: null,
      lock_fence: 1,
      host: expect.stringMatching(/^platform-identity@(?:[A-Z]{3}|unknown):[0-9a-f]{8}$/),
    });
    expect(row?.counts).toEqual({ items: 3, complete: true });
    expect(row?.duration_ms).toBe((row?.finished_at ?? 0) - (row?.started_at ?? 0));
    expect(await job.state()).toMatchObject({
      last_started_at: row?.started_at,
      last_success_at: row?.finished_at,
      last_failure_at: null,
      fence: 1,
      last_duration_ms: row?.duration_ms,
    });
    expect(await job.counters()).toEqual({ "runs.succeeded": 1, "items.items": 3 });
    const event = await job.event(row?.event_log_id ?? null);
    expect(event).toMatchObject({ event_type: "identity.scheduled_job.succeeded", company_id: 0 });
    expect(JSON.parse(event?.data ?? "")).toEqual({
      run_id: row?.id,
      job: job.name,
      trigger: "scheduler",
      duration_ms: row?.duration_ms,
      host: row?.host,
      counts: { items: 3, complete: true },
    });
    const requestId = `sjr-${row?.id}`;
    expect(runs.map((one) => one.requestId)).toEqual([requestId]);
    // A webhook of an earlier test may be delivered meanwhile. Its lines have another request id.
    const ownLines = lines().filter(({ request_id }) => request_id === requestId);
    expect(ownLines.map(({ message, request_id }) => ({ message, request_id }))).toEqual([
      { message: "at work", request_id: requestId },
      { message: `${job.name}: items=3 run_id=${row?.id}`, request_id: requestId },
    ]);
  });

  it("record a failure with key, class and sanitized message, report it and release the lock", async () => {
    const errors = linesOf("error");
    const posted: { url: string; body: Record<string, unknown> }[] = [];
    const fetch = (async (url: string, init: RequestInit) => {
      posted.push({ url, body: JSON.parse(String(init.body)) as Record<string, unknown> });
      return new Response("{}");
    }) as typeof globalThis.fetch;
    const job = createJob(async () => {
      throw new RangeError("no answer of https://u:p@host.example/path?token=abc for\nBearer abc.def");
    });
    const end = await job.start({}, { fetch }, { ERROR_REPORTING_DSN: "https://key@errors.example/7" });
    const [row] = await job.stored();
    const message = "no answer of https://host.example/path for Bearer [Filtered]";
    expect(end).toMatchObject({ kind: "failed", runId: row?.id });
    expect(row).toMatchObject({
      status: "failed",
      error_key: "unexpected_error",
      error_class: "RangeError",
      error_message: message,
      counts: {},
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
    ["unexpected_error", new Error("unexpected")],
    ["unexpected_error", "a text"],
  ])("record an error as %s", async (key, thrown) => {
    linesOf("error");
    const job = createJob(async () => {
      throw thrown;
    });
    await job.start();
    expect((await job.stored())[0]).toMatchObject({ status: "failed", error_key: key });
  });

  it("stop 10 s before the lock expires when the work does not end", async () => {
    linesOf("error");
    const job = createJob(() => new Promise(() => {}));
    const startedAt = clock.now();
    // The run acquires the lock at the current time. All later calls happen when only 10.05 s of the lock remain.
    let calls = 0;
    const { services } = job.build();
    const broker = services.broker && {
      ...services.broker,
      acquire: async (...args: Parameters<NonNullable<typeof services.broker>["acquire"]>) => {
        const acquired = await services.broker?.acquire(...args);
        if (!acquired) throw new Error("no broker");
        calls += 1;
        advance(109_950 - (clock.now() - startedAt));
        return acquired;
      },
    };
    await job.start({}, { broker });
    expect(calls).toBe(1);
    expect((await job.stored())[0]).toMatchObject({ status: "failed", error_key: "timeout" });
  });

  it("add their counts to those that helpers stored in the row", async () => {
    const job = createJob(async (run) => {
      await changeRun(run.id, { counts: { items: 4, others: 1 } });
      return { items: 3, complete: false };
    });
    await job.start();
    const [row] = await job.stored();
    expect(row?.counts).toEqual({ items: 7, others: 1, complete: false });
    expect(await job.counters()).toMatchObject({ "items.items": 3 });
  });

  it("are stored once when their batches are repeated", async () => {
    const job = createJob();
    const { services } = job.build();
    expect(await job.start({}, { platformDb: repeatBatches(services.db) })).toMatchObject({ kind: "succeeded" });
    expect(await job.stored()).toHaveLength(1);
    expect(await job.counters()).toEqual({ "runs.succeeded": 1, "items.items": 3 });
    expect(await eventsOfJob(job.name)).toHaveLength(1);
  });
});

describe("JOBS_WORKER_CONCURRENCY", () => {
  it("limits the parallel runs of an isolate, while further runs wait", async () => {
    const running: (() => void)[] = [];
    const jobs = Array.from({ length: 4 }, () =>
      createJob(async () => {
        await new Promise<void>((end) => running.push(end));
        return { items: 1 };
      }),
    );
    const states = async () => (await Promise.all(jobs.map((job) => job.stored()))).flat().map(({ status }) => status);
    const started = jobs.map((job) => job.start({}, {}, { JOBS_WORKER_CONCURRENCY: "2" }));
    // Waiting runs have no row yet, so the number of rows shows how many runs have started.
    for (const ended of [0, 1, 2]) {
      await expect.poll(() => running.length).toBe(2);
      expect((await states()).toSorted()).toEqual([...Array(2).fill("running"), ...Array(ended).fill("succeeded")]);
      running.shift()?.();
      await expect.poll(async () => (await states()).filter((status) => status === "succeeded").length).toBe(ended + 1);
    }
    running.shift()?.();
    const ends = await Promise.all(started);
    expect(ends.map(({ kind }) => kind)).toEqual(Array(4).fill("succeeded"));
  });
});
