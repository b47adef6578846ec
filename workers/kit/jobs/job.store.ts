import type { JobCounterRow, JobRunRow, JobStateRow } from "../../../db/kit/jobs";
import { type Db, sql } from "../db";
import type { Page } from "../http/paging/cursor-page";
import { errorName } from "../log";
import type { JobServices, JobSet } from "./job";
import type { Holder } from "./lock/job-lock";

// Each statement takes the names of the service's jobs as one list.
const listStates = sql(
  "SELECT s.* FROM json_each(?1) j CROSS JOIN scheduled_job_states s ON s.job = j.value ORDER BY j.key",
);

const listCounters = sql(
  "SELECT c.* FROM json_each(?1) j CROSS JOIN scheduled_job_counters c ON c.job = j.value ORDER BY j.key, c.name",
);

const newest = (which: string, term: string) => `SELECT '${which}' AS which, r.*
FROM json_each(?1) j CROSS JOIN scheduled_job_runs r ON r.id = (SELECT n.id FROM scheduled_job_runs n
  WHERE n.job = j.value${term} ORDER BY n.started_at DESC, n.id DESC LIMIT 1)`;

const listNewest = sql(
  [
    newest("any", ""),
    newest("finished", " AND n.status <> 'running'"),
    newest("succeeded", " AND n.status = 'succeeded'"),
  ].join("\nUNION ALL\n"),
);

const countRecent = sql(`SELECT r.job, sum(r.status = 'succeeded') AS succeeded, sum(r.status = 'failed') AS failed
FROM json_each(?1) j CROSS JOIN scheduled_job_runs r ON r.job = j.value AND r.started_at > ?2 GROUP BY r.job`);

const DAY_MS = 86_400_000;

/** Totals and times of the jobs of a service. */
export type JobTotals = { states: JobStateRow[]; counters: JobCounterRow[] };

/** What the staff list is made of; runs are the newest of their kind. */
export type JobOverview = JobTotals & {
  newest: (JobRunRow & { which: "any" | "finished" | "succeeded" })[];
  recent: { job: string; succeeded: number; failed: number }[];
};

/** The statements of `JobTotals`, for a batch of the caller. */
export function totalsStatements<S>(db: Db, set: JobSet<S>): [D1PreparedStatement, D1PreparedStatement] {
  const names = namesOf(set);
  return [listStates.bind(db, names), listCounters.bind(db, names)];
}

export type OverviewRows = [JobStateRow, JobCounterRow, JobOverview["newest"][number], JobOverview["recent"][number]];

/** The statements that read everything stored of the staff list. `now` is unix ms. */
export function overviewStatements<S>(db: Db, set: JobSet<S>, now: number): D1PreparedStatement[] {
  const names = namesOf(set);
  return [...totalsStatements(db, set), listNewest.bind(db, names), countRecent.bind(db, names, now - DAY_MS)];
}

/** Sort values of a run in a list, newest first. */
export type RunPosition = [startedAt: number, id: number];

const listRuns = sql(`SELECT * FROM scheduled_job_runs
WHERE job = ?1 AND (?2 IS NULL OR status = ?2) AND (started_at, id) < (?3, ?4) ORDER BY started_at DESC, id DESC LIMIT ?5`);

/** The statement that lists runs of a job, newest first, one more than the page holds. */
export function runsStatement(
  db: Db,
  job: string,
  status: string | null,
  page: Page<RunPosition>,
): D1PreparedStatement {
  const [startedAt, id] = page.after ?? [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  return listRuns.bind(db, job, status, startedAt, id, page.limit + 1);
}

/** (id) */
export const findRun = sql("SELECT * FROM scheduled_job_runs WHERE id = ?1");

/** What the broker says; null where none is bound or it does not answer. `beat` is unix ms. */
export type BrokerView = { reachable: boolean | null; beat: number | null; locks: Map<string, Holder | null> };

/** Pings the broker and reads the heartbeat and, for `jobs`, who holds the locks; all at once, within 2 s. */
export async function readBroker(services: JobServices, jobs: readonly string[]): Promise<BrokerView> {
  const { broker, log } = services;
  if (broker === null) return { reachable: null, beat: null, locks: new Map() };
  const orNull = async <T>(call: Promise<T>): Promise<T | null> => {
    try {
      return await call;
    } catch (error) {
      log.warn("the broker does not answer", { cause: errorName(error) });
      return null;
    }
  };
  const [pong, beat, ...holders] = await Promise.all([
    orNull(broker.ping()),
    orNull(broker.lastBeat()),
    ...jobs.map((job) => orNull(broker.holder(job))),
  ]);
  return {
    reachable: pong !== null,
    beat: beat === null ? null : Math.round(beat * 1000),
    locks: new Map(jobs.map((job, index) => [job, holders[index] ?? null])),
  };
}

function namesOf<S>(set: JobSet<S>): string {
  return JSON.stringify(set.jobs.map(({ name }) => name));
}
