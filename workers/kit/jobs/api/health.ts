import type { JobStateRow } from "../../../../db/kit/jobs";
import { MINUTE_MS } from "../../time";

const BEAT_STALE_MS = 3 * MINUTE_MS;

type JobHealth = "disabled" | "failing" | "overdue" | "healthy";
type SchedulerState = "running" | "stale" | "no_broker" | "disabled";

/**
 * Returns whether a job is overdue, that is, whether its last success is too long ago. If it never succeeded, the creation
 * of its tables counts instead. Times are unix ms.
 */
export function isOverdue(
  state: Pick<JobStateRow, "last_success_at" | "created_at">,
  overdueAfterSeconds: number,
  now: number,
): boolean {
  return now - (state.last_success_at ?? state.created_at) > overdueAfterSeconds * 1000;
}

/** Returns the health of a job. `lastFinished` is the status of its newest stored run that has ended. */
export function healthOf(job: {
  schedulerEnabled: boolean;
  lastStartedAt: number | null;
  lastFinished: string | null;
  overdue: boolean;
}): JobHealth {
  if (!job.schedulerEnabled && job.lastStartedAt === null) return "disabled";
  if (job.lastFinished === "failed") return "failing";
  return job.overdue ? "overdue" : "healthy";
}

/**
 * Returns whether an enabled scheduler has published no heartbeat for 3 minutes. `lastBeat` is unix ms, or null when
 * there is none.
 */
export function isBeatStale(schedulerEnabled: boolean, lastBeat: number | null, now: number): boolean {
  return schedulerEnabled && (lastBeat === null || now - lastBeat > BEAT_STALE_MS);
}

/** Returns the state of the scheduler. A missing broker is distinguished from a scheduler without heartbeat. */
export function schedulerStateOf(scheduler: { enabled: boolean; hasBroker: boolean; stale: boolean }): SchedulerState {
  if (!scheduler.enabled) return "disabled";
  if (!scheduler.hasBroker) return "no_broker";
  return scheduler.stale ? "stale" : "running";
}
