import { randomHex } from "../../crypto/random";
import { uuid } from "../../ids";
import { errorName } from "../../log";
import type { FlagValues } from "../../management/flags";
import type { ReportProgress } from "../../management/stream";
import { withTimeout } from "../../timeout";
import type { Counts, Job, JobRun, JobServices, JobSet } from "../job";
import type { Holder, Trigger } from "../lock/job-lock";
import { describeFailure, type Failure } from "./failure";
import { reportFailure } from "./failure-report";
import { finishRun, recordSkip, startRun } from "./run.store";
import { takeSlot } from "./slots";

/** A run stops by itself this long before its lock ends. */
const RESERVE_MS = 10_000;
/** Waits before the second and third try of the finish batch. */
const FINISH_WAITS_MS = [200, 1000];

/** What a run is asked for. `scheduledTime` (unix ms) is the cron's own; `withLock` false only by a command. */
export type RunRequest = {
  trigger: Trigger;
  flags: FlagValues;
  scheduledTime?: number;
  withLock: boolean;
  /** hears of the run as soon as it is recorded */
  onStart?: (runId: number) => Promise<void>;
  report?: ReportProgress;
};

/** How a request for a run ended. `skipped`: another has the lock, or had it for this tick. */
export type RunEnd =
  | { kind: "skipped" }
  | { kind: "succeeded"; runId: number; counts: Counts; summary: string }
  | { kind: "failed"; runId: number | null; failure: Failure };

type Lock = { token: string; fence: number; acquiredAt: number };

/**
 * The life of one run: lock, start batch, work, finish batch, summary line. Never throws:
 * what goes wrong is recorded, logged and reported.
 */
export async function runJob<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
): Promise<RunEnd> {
  const holdMs = job.lockSeconds * 1000;
  const free = await takeSlot(services.settings.jobs.concurrency, { holdMs, waitMs: holdMs });
  if (free === null) {
    services.log.warn("no slot was free for a run", { job: job.name });
    return { kind: "skipped" };
  }
  try {
    return await runInSlot(services, set, job, request);
  } finally {
    free();
  }
}

async function runInSlot<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
): Promise<RunEnd> {
  let lock: Lock | null = null;
  let lockFault: unknown = null;
  try {
    const taken = await takeLock(services, job, request);
    if (taken !== null && "holder" in taken) return skip(services, job, taken.holder, taken.isTickTaken);
    lock = taken;
  } catch (error) {
    lockFault = error;
  }
  try {
    return await record(services, set, job, request, lock, lockFault);
  } finally {
    if (lock !== null) await releaseLock(services, job, lock);
  }
}

/** Null: the run takes no lock. */
async function takeLock<S extends JobServices>(
  { broker, clock, host, log }: S,
  job: Job<S>,
  { trigger, scheduledTime, withLock }: RunRequest,
): Promise<Lock | null | { holder: Holder; isTickTaken: boolean }> {
  if (!withLock) return null;
  if (broker === null) {
    log.warn("no broker is bound, the run takes no lock", { job: job.name });
    return null;
  }
  const token = randomHex(16);
  const acquiredAt = clock.now();
  const tick = scheduledTime === undefined ? {} : { scheduled_time: scheduledTime };
  const answer = await broker.acquire(job.name, { token, ttl_s: job.lockSeconds, trigger, host, ...tick });
  return answer.ok
    ? { token, fence: answer.fence, acquiredAt }
    : { holder: answer.holder, isTickTaken: answer.is_tick_taken };
}

async function releaseLock<S extends JobServices>({ broker, log }: S, job: Job<S>, lock: Lock): Promise<void> {
  try {
    await broker?.release(job.name, lock.token);
  } catch (error) {
    log.warn("the lock was not released, it ends by itself", { job: job.name, cause: errorName(error) });
  }
}

let lastSkip = { now: 0, repeats: 0 };

async function skip<S extends JobServices>(
  { db, clock, log }: S,
  job: Job<S>,
  holder: Holder,
  isTickTaken: boolean,
): Promise<RunEnd> {
  log.info(isTickTaken ? "another run took this tick" : "another run is in progress", {
    job: job.name,
    holder_trigger: holder.trigger,
    holder_host: holder.host,
    acquired_at: new Date(holder.acquired_at).toISOString(),
    expires_at: new Date(holder.expires_at).toISOString(),
  });
  const now = clock.now();
  lastSkip = { now, repeats: now === lastSkip.now ? lastSkip.repeats + 1 : 0 };
  try {
    await recordSkip(db, job.name, now + lastSkip.repeats);
  } catch (error) {
    log.error("a skipped run was not counted", { job: job.name, cause: errorName(error) });
  }
  return { kind: "skipped" };
}

/** Start batch, work and finish batch; with a fault of the lock no work, and a run that failed for it. */
async function record<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
  lock: Lock | null,
  lockFault: unknown,
): Promise<RunEnd> {
  const { db, clock, host } = services;
  const { trigger, flags, onStart, report = () => {} } = request;
  const startedAt = clock.now();
  const fence = lock?.fence ?? null;
  let id: number;
  try {
    const started = await startRun(db, { job: job.name, trigger, startedAt, host, fence }, set.jobs);
    id = started.id;
    for (const stale of started.interrupted) {
      services.log.warn("a run was interrupted", { job: stale.job, scheduled_job_run_id: stale.id });
    }
  } catch (error) {
    return tellFailure(services, job, trigger, null, lockFault ?? error);
  }
  const requestId = `sjr-${id}`;
  const own: S = { ...services, requestId, log: services.log.with({ request_id: requestId }) };
  let end: { counts: Counts } | { failed: unknown };
  // What a run that fails had done until then.
  let reported: Counts = {};
  try {
    if (lockFault !== null) throw lockFault;
    await onStart?.(id);
    const stopAt = lock === null ? Number.POSITIVE_INFINITY : lock.acquiredAt + job.lockSeconds * 1000 - RESERVE_MS;
    const note = (counts: Counts) => {
      reported = { ...counts };
      report(counts);
    };
    const run: JobRun = { id, trigger, fence, startedAt, stopAt, report: note };
    const work = job.run(own, run, flags);
    end = { counts: await (lock === null ? work : withTimeout(work, stopAt - clock.now())) };
  } catch (failed) {
    end = { failed };
  }
  const failure = "failed" in end ? describeFailure(end.failed) : null;
  const counts = "counts" in end ? end.counts : reported;
  const finishedAt = clock.now();
  const durationMs = Math.max(0, finishedAt - startedAt);
  const finished = await finish(own, {
    runId: id,
    job: job.name,
    finishedAt,
    durationMs,
    counts,
    error: failure,
    event: {
      id: uuid(),
      type: `${set.service}.scheduled_job.${failure === null ? "succeeded" : "failed"}`,
      data: {
        ...{ run_id: id, job: job.name, trigger, duration_ms: durationMs, counts, host },
        // Never the message.
        ...(failure === null ? {} : { error_key: failure.key, error_class: failure.name }),
      },
    },
  });
  if (finished !== null) return tellFailure(own, job, trigger, id, finished);
  if ("failed" in end) return tellFailure(own, job, trigger, id, end.failed);
  const summary = job.summarize(counts);
  own.log.info(`${job.name}: ${summary} run_id=${id}`, { duration_ms: durationMs });
  return { kind: "succeeded", runId: id, counts, summary };
}

/** Stores the ending, in three tries. Null when it is stored; else why the run stays as it is. */
async function finish(services: JobServices, ending: Parameters<typeof finishRun>[1]): Promise<Error | null> {
  for (let tries = 0; ; tries++) {
    try {
      if (await finishRun(services.db, ending)) return null;
      return new Error("the run lost its lock or was ended as interrupted");
    } catch (error) {
      const wait = FINISH_WAITS_MS[tries];
      services.log.error("the end of a run was not stored", { job: ending.job, cause: errorName(error) });
      if (wait === undefined) return error instanceof Error ? error : new Error("the end of a run was not stored");
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** The lines of a failed run, and its report. */
function tellFailure<S extends JobServices>(
  services: S,
  job: Job<S>,
  trigger: Trigger,
  id: number | null,
  error: unknown,
): RunEnd {
  const failure = describeFailure(error);
  services.log.error(`${job.name} failed: ${failure.name}: ${failure.message} (run_id=${id ?? "-"})`, {
    error_key: failure.key,
    error_class: failure.name,
    error_message: failure.message,
  });
  services.waitUntil(reportFailure(services, { job: job.name, trigger, id, failure }));
  return { kind: "failed", runId: id, failure };
}
