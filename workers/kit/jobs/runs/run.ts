import { randomHex } from "../../crypto/random";
import { errorName } from "../../log";
import type { FlagValues } from "../../management/flags";
import type { ReportProgress } from "../../management/stream";
import { withTimeout } from "../../timeout";
import { type Counts, type Job, type JobRun, type JobServices, type JobSet, maxHoldMs } from "../job";
import { type Lock, releaseLock, startRenewal } from "../lock/held-lock";
import type { Holder, Trigger } from "../lock/job-lock";
import { recordSkip, startRun } from "./run.store";
import { endRun, logFailure, type RecordedEnd } from "./run-end";
import { acquireSlot } from "./slots";

/** A run stops this many milliseconds before its lock ends. */
const RESERVE_MS = 10_000;

/**
 * A request for a run. `scheduledTime` (unix ms) is the time of the Cron Trigger. Only commands set `withLock` to
 * false.
 */
export type RunRequest = {
  trigger: Trigger;
  flags: FlagValues;
  scheduledTime?: number;
  withLock: boolean;
  /** called as soon as the run is recorded */
  onStart?: (runId: number) => Promise<void>;
  report?: ReportProgress;
};

/**
 * The result of a requested run. `skipped`: another run holds the lock or has held it for this tick, or no slot was
 * free.
 */
export type RunEnd = { kind: "skipped" } | RecordedEnd;

/**
 * Runs a job: acquires the lock, records the start, does the work, records the end and logs a summary line. Never
 * throws: failures are recorded, logged and reported.
 */
export async function runJob<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
): Promise<RunEnd> {
  const holdMs = maxHoldMs(job);
  const releaseSlot = await acquireSlot(services.settings.jobs.concurrency, { holdMs, waitMs: holdMs });
  if (releaseSlot === null) {
    services.log.warn("a run was skipped because all job slots are in use", { job: job.name });
    return { kind: "skipped" };
  }
  try {
    return await runInSlot(services, set, job, request);
  } finally {
    releaseSlot();
  }
}

async function runInSlot<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
): Promise<RunEnd> {
  let lock: Lock | null = null;
  let lockError: unknown = null;
  try {
    const acquired = await acquireLock(services, job, request);
    if (acquired !== null && "holder" in acquired) {
      await runUnlocked(services, job);
      return recordSkippedRun(services, job, acquired.holder, acquired.isTickClaimed);
    }
    lock = acquired;
  } catch (error) {
    lockError = error;
    await runUnlocked(services, job);
  }
  try {
    return await recordRun(services, set, job, request, lock, lockError);
  } finally {
    if (lock !== null) await releaseLock(services, job, lock);
  }
}

/** Acquires the lock. Returns null for a run without a lock, or the holder when another run has the lock. */
async function acquireLock<S extends JobServices>(
  { broker, clock, host, log }: S,
  job: Job<S>,
  { trigger, scheduledTime, withLock }: RunRequest,
): Promise<Lock | null | { holder: Holder; isTickClaimed: boolean }> {
  if (!withLock) return null;
  if (broker === null) {
    log.warn("no broker is bound; the job runs without a lock", { job: job.name });
    return null;
  }
  const token = randomHex(16);
  const acquiredAt = clock.now();
  const tick = scheduledTime === undefined ? {} : { scheduled_time: scheduledTime };
  const acquisition = await broker.acquire(job.name, { token, ttl_s: job.lockSeconds, trigger, host, ...tick });
  return acquisition.ok
    ? { token, fence: acquisition.fence, acquiredAt }
    : { holder: acquisition.holder, isTickClaimed: acquisition.is_tick_taken };
}

/** Runs the part of the job that needs no lock. An error is only logged; the next tick retries the work. */
async function runUnlocked<S extends JobServices>(services: S, job: Job<S>): Promise<void> {
  try {
    await job.runUnlocked?.(services);
  } catch (error) {
    services.log.error("the work that needs no lock failed", { job: job.name, cause: errorName(error) });
  }
}

let lastSkip = { now: 0, repeats: 0 };

async function recordSkippedRun<S extends JobServices>(
  { platformDb, clock, log }: S,
  job: Job<S>,
  holder: Holder,
  isTickClaimed: boolean,
): Promise<RunEnd> {
  log.info(isTickClaimed ? "another run took this tick" : "another run is in progress", {
    job: job.name,
    holder_trigger: holder.trigger,
    holder_host: holder.host,
    acquired_at: new Date(holder.acquired_at).toISOString(),
    expires_at: new Date(holder.expires_at).toISOString(),
  });
  const now = clock.now();
  lastSkip = { now, repeats: now === lastSkip.now ? lastSkip.repeats + 1 : 0 };
  try {
    await recordSkip(platformDb, job.name, now + lastSkip.repeats);
  } catch (error) {
    log.error("a skipped run was not counted", { job: job.name, cause: errorName(error) });
  }
  return { kind: "skipped" };
}

/**
 * Records the start of a run, does the work and records the end. When the lock could not be acquired, records the run
 * as failed and does no work.
 */
async function recordRun<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  request: RunRequest,
  lock: Lock | null,
  lockError: unknown,
): Promise<RunEnd> {
  const { platformDb, clock, host } = services;
  const { trigger } = request;
  const startedAt = clock.now();
  const fence = lock?.fence ?? null;
  let id: number;
  try {
    const started = await startRun(platformDb, { job: job.name, trigger, startedAt, host, fence }, set.jobs);
    id = started.id;
    for (const stale of started.interrupted) {
      services.log.warn("a run was interrupted", { job: stale.job, scheduled_job_run_id: stale.id });
    }
  } catch (error) {
    return logFailure(services, job, trigger, null, lockError ?? error);
  }
  const requestId = `sjr-${id}`;
  const runServices: S = { ...services, requestId, log: services.log.with({ request_id: requestId }) };
  const result = await executeJob(runServices, job, request, { id, startedAt, lock, lockError });
  return endRun(runServices, set, job, { id, trigger, startedAt, ...result });
}

/** Runs the job while the run holds its lock. Returns its counts and, when it failed, the error. */
async function executeJob<S extends JobServices>(
  services: S,
  job: Job<S>,
  { trigger, flags, onStart, report = () => {} }: RunRequest,
  { id, startedAt, lock, lockError }: { id: number; startedAt: number; lock: Lock | null; lockError: unknown },
): Promise<{ counts: Counts; thrown: { error: unknown } | null }> {
  // The counts that the run reported before it failed.
  let reported: Counts = {};
  try {
    if (lockError !== null) throw lockError;
    await onStart?.(id);
    const stopAt = lock === null ? Number.POSITIVE_INFINITY : lock.acquiredAt + maxHoldMs(job) - RESERVE_MS;
    const reportAndRemember = (counts: Counts) => {
      reported = { ...counts };
      report(counts);
    };
    const run: JobRun = { id, trigger, fence: lock?.fence ?? null, startedAt, stopAt, report: reportAndRemember };
    const running = job.run(services, run, flags);
    if (lock === null) return { counts: await running, thrown: null };
    const renewal = startRenewal(services, job, lock);
    try {
      const counts = await withTimeout(Promise.race([running, renewal.lost]), stopAt - services.clock.now());
      return { counts, thrown: null };
    } finally {
      renewal.stop();
    }
  } catch (error) {
    return { counts: reported, thrown: { error } };
  }
}
