import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import type { Log } from "../log";
import type { FlagValues } from "../management/flags";
import type { ReportProgress } from "../management/stream";
import { HOUR_MS, MINUTE_MS } from "../time";
import type { Broker } from "./lock/broker";
import type { Trigger } from "./lock/job-lock";
import type { JobSettings } from "./settings";

/** The dependencies of jobs; the services of a Worker contain more. */
export type JobServices = Databases & {
  clock: Clock;
  log: Log;
  requestId: string;
  settings: { jobs: JobSettings };
  /** null when no broker is bound */
  broker: Broker | null;
  /** `{worker}@{location}:{isolate}` */
  host: string;
  fetch: typeof fetch;
  waitUntil: (work: Promise<unknown>) => void;
};

/** The numbers of processed items, keyed by the job's count names. `complete` is false when the run stopped early. */
export type Counts = Record<string, number | boolean>;

/** A recorded run, as passed to its job. Times are unix ms. */
export type JobRun = {
  id: number;
  trigger: Trigger;
  /** the fencing token that every claim and deletion checks (`holdsFence`); null when the run took no lock */
  fence: number | null;
  startedAt: number;
  /** when the run must stop: 10 s before its lock ends, or Infinity without a lock */
  stopAt: number;
  report: ReportProgress;
};

/** The schedule of a job. `nextAfter` returns the next due time after a start (unix ms). */
export type Schedule = { cron: string; intervalSeconds: number; nextAfter: (base: number) => number };

/** A job, run by a Cron Trigger and by the management command of the same name. */
export type Job<Services> = {
  name: string;
  schedule: Schedule;
  overdueAfterSeconds: number;
  /** the duration of the lock; if its holder dies, other runs are blocked until the lock expires */
  lockSeconds: number;
  /** the lock is renewed during a run until it is this old; when undefined, it is never renewed */
  renewedSeconds?: number;
  /** the names of its counts; metrics show each from the first scrape */
  counts: readonly string[];
  /** the flags of a run that the scheduler starts */
  scheduledFlags: FlagValues;
  run: (services: Services, run: JobRun, flags: FlagValues) => Promise<Counts>;
  /**
   * Does the work that needs no lock. Called when another run holds the lock, or when the broker does not respond. Its
   * statements check no fence.
   */
  runUnlocked?: (services: Services) => Promise<unknown>;
  /** Returns the summary of a run without the job's name and run id: `deleted events=3 complete=true`. */
  summarize: (counts: Counts) => string;
  /** Returns what a run would do: `would delete events=3`. Changes nothing. */
  preview: (services: Services, flags: FlagValues) => Promise<{ summary: string; counts: Counts }>;
};

/** The jobs of a service in the order of the staff API. */
export type JobSet<Services> = { service: string; jobs: readonly Job<Services>[] };

/**
 * The lock of a job that must restart soon after its isolate died. It lasts 20 s, and is renewed for as long as a lock
 * without renewal would last.
 */
export const SHORT_LOCK = { lockSeconds: 20, renewedSeconds: 120 } as const;

/** Returns the longest time that a run of a job can hold its lock, in milliseconds. */
export const maxHoldMs = ({
  lockSeconds,
  renewedSeconds = lockSeconds,
}: Pick<Job<never>, "lockSeconds" | "renewedSeconds">) => renewedSeconds * 1000;

/** Every minute. */
export const everyMinute: Schedule = {
  cron: "* * * * *",
  intervalSeconds: 60,
  nextAfter: (base) => base + MINUTE_MS,
};

/** Every hour at minute 17. */
export const hourly: Schedule = {
  cron: "17 * * * *",
  intervalSeconds: 3600,
  nextAfter: (base) => {
    const due = Math.floor(base / HOUR_MS) * HOUR_MS + 17 * MINUTE_MS;
    return due > base ? due : due + HOUR_MS;
  },
};

/** Returns `name=value` of each count, for a summary line. */
export function listCounts(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
