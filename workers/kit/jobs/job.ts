import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import type { Log } from "../log";
import type { FlagValues } from "../management/flags";
import type { ReportProgress } from "../management/stream";
import { HOUR_MS, MINUTE_MS } from "../time";
import type { Broker } from "./lock/broker";
import type { Trigger } from "./lock/job-lock";
import type { JobSettings } from "./settings";

/** The dependencies of jobs; a service's own services hold more. */
export type JobServices = Databases & {
  clock: Clock;
  log: Log;
  requestId: string;
  settings: { jobs: JobSettings };
  /** null: no broker is bound */
  broker: Broker | null;
  /** `{worker}@{location}:{isolate}` */
  host: string;
  fetch: typeof fetch;
  waitUntil: (work: Promise<unknown>) => void;
};

/** Processed items by the count names of the job; `complete` is false when the run stopped early. */
export type Counts = Record<string, number | boolean>;

/** A recorded run as its job sees it. Times are unix ms. */
export type JobRun = {
  id: number;
  trigger: Trigger;
  /** every claiming and deleting statement includes it (`holdsFence`); null: the run took no lock */
  fence: number | null;
  startedAt: number;
  /** when the run must stop by itself: 10 s before its lock ends; Infinity without one */
  stopAt: number;
  report: ReportProgress;
};

/** When a job is due. `nextAfter` returns the next due time after a start (unix ms). */
export type Schedule = { cron: string; intervalSeconds: number; nextAfter: (base: number) => number };

/** A job, run by a Cron Trigger and by the management command of the same name. */
export type Job<Services> = {
  name: string;
  schedule: Schedule;
  overdueAfterSeconds: number;
  /** After its holder died, the lock blocks other runs for this long. */
  lockSeconds: number;
  /** The lock is renewed during the run until it is this old; without this, it is never renewed. */
  renewedSeconds?: number;
  /** names of its counts; metrics show each from the first scrape */
  counts: readonly string[];
  /** flags of a run that the scheduler starts */
  scheduledFlags: FlagValues;
  run: (services: Services, run: JobRun, flags: FlagValues) => Promise<Counts>;
  /**
   * Work that needs no lock: done when another run holds it, or when the broker does not respond. Its statements need
   * no fence.
   */
  runUnlocked?: (services: Services) => Promise<unknown>;
  /** Returns the summary without the job's name and run id: `deleted events=3 complete=true`. */
  summarize: (counts: Counts) => string;
  /** Counts what a run would do: `would delete events=3`. Changes nothing. */
  preview: (services: Services, flags: FlagValues) => Promise<{ summary: string; counts: Counts }>;
};

/** The jobs of a service in the order of the staff API. */
export type JobSet<Services> = { service: string; jobs: readonly Job<Services>[] };

/**
 * The lock of a job that must restart soon after its isolate died: 20 s, renewed up to the duration of a lock without
 * renewal.
 */
export const SHORT_LOCK = { lockSeconds: 20, renewedSeconds: 120 } as const;

/** Returns the longest time that a run of a job can hold its lock, in milliseconds. */
export const longestHold = ({
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
