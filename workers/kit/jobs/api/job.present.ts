import type * as z from "zod";
import type { JobRunRow } from "../../../../db/kit/jobs";
import type { jobRunSchema, scheduledJobsSchema } from "../../../../schemas/jobs";
import { iso } from "../../time";
import type { Job, JobSet } from "../job";
import type { BrokerView } from "../lock/broker";
import type { Holder } from "../lock/job-lock";
import { healthOf, isBeatStale, isOverdue, schedulerStateOf } from "./health";
import type { JobOverview } from "./overview";

type Run = z.input<typeof jobRunSchema>;
type JobsView = z.input<typeof scheduledJobsSchema>;

/** Returns a run in the form of the staff API. */
export function presentRun(row: JobRunRow): Run {
  return {
    id: row.id,
    job: row.job,
    trigger: row.trigger,
    status: row.status,
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    duration_ms: row.duration_ms,
    counts: row.status === "running" ? {} : row.counts,
    error_key: row.error_key,
    error_class: row.error_class,
    error_message: row.error_message,
    host: row.host,
    request_id: `sjr-${row.id}`,
    event_log_id: row.event_log_id,
  };
}

/** Returns the list of jobs with the flags of the scheduler. `now` is unix ms. */
export function presentJobs<S>(
  set: JobSet<S>,
  overview: JobOverview & { broker: BrokerView },
  { schedulerEnabled, now }: { schedulerEnabled: boolean; now: number },
): JobsView {
  const { broker } = overview;
  const stale = isBeatStale(schedulerEnabled, broker.beat, now);
  return {
    generated_at: iso(now),
    scheduler_enabled: schedulerEnabled,
    broker_reachable: broker.reachable,
    beat_last_seen_at: iso(broker.beat),
    beat_stale: stale,
    scheduler_state: schedulerStateOf({ enabled: schedulerEnabled, hasBroker: broker.reachable !== null, stale }),
    jobs: set.jobs.map((job) => presentJob(job, overview, { schedulerEnabled, now })),
  };
}

function presentJob<S>(
  job: Job<S>,
  overview: JobOverview & { broker: BrokerView },
  { schedulerEnabled, now }: { schedulerEnabled: boolean; now: number },
): JobsView["jobs"][number] {
  const state = overview.states.find((row) => row.job === job.name);
  const run = (which: string) => overview.newest.find((row) => row.job === job.name && row.which === which);
  const recent = overview.recent.find((row) => row.job === job.name);
  const skipped = overview.counters.find((row) => row.job === job.name && row.name === "runs.skipped_locked");
  const [last, finished, succeeded] = [run("any"), run("finished"), run("succeeded")];
  const overdue = state !== undefined && isOverdue(state, job.overdueAfterSeconds, now);
  const lastStartedAt = state?.last_started_at ?? null;
  return {
    job: job.name,
    health: healthOf({ schedulerEnabled, lastStartedAt, lastFinished: finished?.status ?? null, overdue }),
    overdue,
    interval_seconds: job.schedule.intervalSeconds,
    overdue_after_seconds: job.overdueAfterSeconds,
    last_run: last === undefined ? null : presentRun(last),
    last_success_at: iso(state?.last_success_at ?? null),
    last_failure_at: iso(state?.last_failure_at ?? null),
    last_skipped_at: iso(state?.last_skipped_at ?? null),
    last_duration_ms: state?.last_duration_ms ?? null,
    last_counts: succeeded === undefined ? {} : presentRun(succeeded).counts,
    next_expected_at: iso(job.schedule.nextAfter(lastStartedAt ?? now)),
    last_24h: { succeeded: recent?.succeeded ?? 0, failed: recent?.failed ?? 0 },
    skipped_locked_total: skipped?.value ?? 0,
    lock: presentLock(overview.broker.locks.get(job.name) ?? null),
  };
}

function presentLock(holder: Holder | null): JobsView["jobs"][number]["lock"] {
  if (holder === null) return null;
  const { trigger, host, acquired_at, expires_at } = holder;
  const [from, until] = [iso(acquired_at), iso(expires_at)];
  return { held: true, trigger, host, acquired_at: from, expires_at: until };
}
