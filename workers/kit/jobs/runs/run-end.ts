import { uuid } from "../../ids";
import { errorName } from "../../log";
import type { Counts, Job, JobServices, JobSet } from "../job";
import type { Trigger } from "../lock/job-lock";
import { describeFailure, type Failure } from "./failure";
import { reportFailure } from "./failure-report";
import { finishRun, type RunEnding } from "./run-end.store";

/** The delays before the second and third attempt to store the end of a run. */
const FINISH_WAITS_MS = [200, 1000];

/** The end of a run. `runId` is null when the run could not be recorded. */
export type RecordedEnd =
  | { kind: "succeeded"; runId: number; counts: Counts; summary: string }
  | { kind: "failed"; runId: number | null; failure: Failure };

/** Stores and logs the end of a run and its platform event; `startedAt` is unix ms. */
export async function endRun<S extends JobServices>(
  services: S,
  set: JobSet<S>,
  job: Job<S>,
  run: { id: number; trigger: Trigger; startedAt: number; counts: Counts; thrown: { error: unknown } | null },
): Promise<RecordedEnd> {
  const { clock, host, log } = services;
  const { id, trigger, startedAt, counts, thrown } = run;
  const failure = thrown === null ? null : describeFailure(thrown.error);
  const finishedAt = clock.now();
  const durationMs = Math.max(0, finishedAt - startedAt);
  const notStored = await store(services, {
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
        run_id: id,
        job: job.name,
        trigger,
        duration_ms: durationMs,
        counts,
        host,
        // The event omits the error message, because the message may quote data.
        ...(failure === null ? {} : { error_key: failure.key, error_class: failure.name }),
      },
    },
  });
  if (notStored !== null) return logFailure(services, job, trigger, id, notStored);
  if (thrown !== null) return logFailure(services, job, trigger, id, thrown.error);
  const summary = job.summarize(counts);
  log.info(`${job.name}: ${summary} run_id=${id}`, { duration_ms: durationMs });
  return { kind: "succeeded", runId: id, counts, summary };
}

/**
 * Stores the end of a run in up to three attempts. Returns null on success, else the reason why the run was not
 * updated.
 */
async function store(services: JobServices, ending: RunEnding): Promise<Error | null> {
  for (let tries = 0; ; tries++) {
    try {
      if (await finishRun(services.platformDb, ending)) return null;
      return new Error("the run lost its lock or was ended as interrupted");
    } catch (error) {
      const wait = FINISH_WAITS_MS[tries];
      services.log.error("the end of a run was not stored", { job: ending.job, cause: errorName(error) });
      if (wait === undefined) return error instanceof Error ? error : new Error("the end of a run was not stored");
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Logs and reports a failed run. `id` is null when the run could not be recorded. */
export function logFailure<S extends JobServices>(
  services: S,
  job: Job<S>,
  trigger: Trigger,
  id: number | null,
  error: unknown,
): RecordedEnd {
  const failure = describeFailure(error);
  services.log.error(`${job.name} failed: ${failure.name}: ${failure.message} (run_id=${id ?? "-"})`, {
    error_key: failure.key,
    error_class: failure.name,
    error_message: failure.message,
  });
  services.waitUntil(reportFailure(services, { job: job.name, trigger, id, failure }));
  return { kind: "failed", runId: id, failure };
}
