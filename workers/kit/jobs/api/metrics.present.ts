import type { Family, Sample } from "../../metrics/exposition";
import type { Job, JobSet } from "../job";
import type { BrokerView } from "../lock/broker";
import { isOverdue } from "./health";
import type { JobTotals } from "./overview";

const STATUSES = ["succeeded", "failed", "skipped_locked"];

/**
 * Returns the job metrics of the endpoint `metrics/all`, named `platform_{prefix}_scheduled_job_…`. Every job, status
 * and count has a sample from the first scrape. `now` is unix ms; times in samples are whole seconds.
 */
export function jobFamilies<S>(
  prefix: string,
  set: JobSet<S>,
  jobs: JobTotals & { broker: Pick<BrokerView, "reachable" | "beat"> },
  { schedulerEnabled, now }: { schedulerEnabled: boolean; now: number },
): Family[] {
  const totals = new Map(jobs.counters.map((row) => [`${row.job} ${row.name}`, row.value]));
  const states = new Map(jobs.states.map((row) => [row.job, row]));
  const family = (name: string, type: Family["type"], help: string, samples: Sample[]): Family => ({
    name: `platform_${prefix}_${name}`,
    type,
    help,
    samples,
  });
  const perJob = (read: (job: Job<S>) => number | undefined): Sample[] =>
    set.jobs.flatMap((job) => {
      const value = read(job);
      return value === undefined ? [] : [{ labels: { job: job.name }, value }];
    });
  const perLabel = (label: string, counter: string, values: (job: Job<S>) => readonly string[]): Sample[] =>
    set.jobs.flatMap((job) =>
      values(job).map((value) => ({
        labels: { job: job.name, [label]: value },
        value: totals.get(`${job.name} ${counter}.${value}`) ?? 0,
      })),
    );
  const { reachable, beat } = jobs.broker;
  return [
    family(
      "scheduled_job_runs_total",
      "counter",
      "Finished runs.",
      perLabel("status", "runs", () => STATUSES),
    ),
    family(
      "scheduled_job_items_total",
      "counter",
      "Items processed.",
      perLabel("kind", "items", (job) => job.counts),
    ),
    family(
      "scheduled_job_last_success_timestamp_seconds",
      "gauge",
      "Unix time of the last success, 0 before the first.",
      perJob((job) => toSeconds(states.get(job.name)?.last_success_at ?? 0)),
    ),
    family(
      "scheduled_job_last_run_timestamp_seconds",
      "gauge",
      "Unix time the last run started, 0 before the first.",
      perJob((job) => toSeconds(states.get(job.name)?.last_started_at ?? 0)),
    ),
    family(
      "scheduled_job_last_run_duration_seconds",
      "gauge",
      "Duration of the last finished run.",
      perJob((job) => {
        const ms = states.get(job.name)?.last_duration_ms ?? null;
        return ms === null ? undefined : ms / 1000;
      }),
    ),
    family(
      "scheduled_job_overdue",
      "gauge",
      "1 when no run succeeded within the limit.",
      perJob((job) => {
        const state = states.get(job.name);
        return state !== undefined && isOverdue(state, job.overdueAfterSeconds, now) ? 1 : 0;
      }),
    ),
    family("scheduler_enabled", "gauge", "1 when SCHEDULER_ENABLED is true.", [{ value: schedulerEnabled ? 1 : 0 }]),
    family(
      "scheduler_broker_up",
      "gauge",
      "1 when the broker responds to a ping.",
      reachable === null ? [] : [{ value: reachable ? 1 : 0 }],
    ),
    family(
      "scheduler_beat_last_seen_timestamp_seconds",
      "gauge",
      "Unix time the scheduler last published a job.",
      beat === null ? [] : [{ value: toSeconds(beat) }],
    ),
  ].filter(({ samples }) => samples.length > 0);
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
