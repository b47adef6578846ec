import type { Clock } from "../clock";
import type { Databases } from "../db/db";
import type { Log } from "../log";
import type { FlagValues } from "../management/flags";
import type { ReportProgress } from "../management/stream";
import { HOUR_MS, MINUTE_MS } from "../time";
import type { Broker } from "./lock/broker";
import type { Trigger } from "./lock/job-lock";
import type { JobSettings } from "./settings";

/** What every service gives its jobs; a service's own services hold more. */
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

/** Items processed, by the count names of the job; `complete` false: stopped early. */
export type Counts = Record<string, number | boolean>;

/** A recorded run, as its job sees it. Times are unix ms. */
export type JobRun = {
  id: number;
  trigger: Trigger;
  /** every claiming and deleting statement carries it (`holdsFence`); null: the run took no lock */
  fence: number | null;
  startedAt: number;
  /** where the run has to stop by itself: 10 s before its lock ends; Infinity without one */
  stopAt: number;
  report: ReportProgress;
};

/** When a job is due. `nextAfter` is the next due time after a start (unix ms). */
export type Schedule = { cron: string; intervalSeconds: number; nextAfter: (base: number) => number };

/** One job: the body of a Cron Trigger and of the management command of the same name. */
export type Job<Services> = {
  name: string;
  schedule: Schedule;
  overdueAfterSeconds: number;
  /** A holder that died keeps others out for this long. */
  lockSeconds: number;
  /** The lock is renewed while the run works, until it is this old; without it, it is never renewed. */
  renewedSeconds?: number;
  /** names of its counts; metrics show each from the first scrape */
  counts: readonly string[];
  /** flags of a run that the scheduler starts */
  scheduledFlags: FlagValues;
  run: (services: Services, run: JobRun, flags: FlagValues) => Promise<Counts>;
  /** What does not wait for the lock: done when another has it, or when it cannot be asked for. Its statements need no fence. */
  runUnlocked?: (services: Services) => Promise<unknown>;
  /** The summary without the job's name and run id: `deleted events=3 complete=true`. */
  summarize: (counts: Counts) => string;
  /** Counts what a run would do: `would delete events=3`. Changes nothing. */
  preview: (services: Services, flags: FlagValues) => Promise<{ summary: string; counts: Counts }>;
};

/** The jobs of a service in the order of the staff API. */
export type JobSet<Services> = { service: string; jobs: readonly Job<Services>[] };

/**
 * The lock of a job whose work must not stand still for long after its isolate died: 20 s, renewed for as long as a lock
 * that is not renewed would last.
 */
export const SHORT_LOCK = { lockSeconds: 20, renewedSeconds: 120 } as const;

/** How long a run of a job has its lock at most, in milliseconds. */
export const longestHold = ({
  lockSeconds,
  renewedSeconds = lockSeconds,
}: Pick<Job<never>, "lockSeconds" | "renewedSeconds">) => renewedSeconds * 1000;

/** Each minute. */
export const everyMinute: Schedule = {
  cron: "* * * * *",
  intervalSeconds: 60,
  nextAfter: (base) => base + MINUTE_MS,
};

/** Each hour at minute 17. */
export const hourly: Schedule = {
  cron: "17 * * * *",
  intervalSeconds: 3600,
  nextAfter: (base) => {
    const due = Math.floor(base / HOUR_MS) * HOUR_MS + 17 * MINUTE_MS;
    return due > base ? due : due + HOUR_MS;
  },
};

/** `name=value` of each count, as a summary line lists them. */
export function listCounts(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
