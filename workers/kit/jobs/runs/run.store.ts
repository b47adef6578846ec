import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../../db/kit/jobs";
import type { Db } from "../../db/db";
import { integer, json } from "../../db/kind";
import { columnName, insertSelect, jsonEach, queryBuilder, tableReference } from "../../db/query";
import { statement } from "../../db/statement";
import { type Job, maxHoldMs } from "../job";
import type { Trigger } from "../lock/job-lock";

const staleRun = alias(runs, "stale_run");

/** Returns an insert that adds to a counter of a job, or creates the counter. */
export const addToCounter = (insert: SQL) =>
  sql`${insert} on conflict (${columnName(counters.job)}, ${columnName(counters.name)})
    do update set ${columnName(counters.value)} = ${counters.value} + excluded.value`;

/** The jobs, each with the start time before which a running run is stale. */
const stale = { cutoffs: json<readonly { job: string; cutoff: number }[]>() };

// The updates of counters and states select the same stale runs that the last statement ends. A repeated batch finds
// none and adds nothing.
const staleRuns = (p: { cutoffs: SQL<readonly { job: string; cutoff: number }[]> }) => {
  const { from: list, item } = jsonEach(p.cutoffs, "listed");
  return sql`${list} cross join ${tableReference(staleRun)}
    on ${staleRun.job} = ${item.job} and ${staleRun.status} = 'running' and ${staleRun.started_at} < ${item.cutoff}`;
};

const countStale = statement(stale, (p) =>
  addToCounter(
    insertSelect(
      counters,
      { job: staleRun.job, name: "runs.failed", value: sql`count(*)` },
      sql`from ${staleRuns(p)} where true group by ${staleRun.job}`,
    ),
  ),
);

const recordStale = statement({ ...stale, now: integer }, (p) =>
  queryBuilder
    .update(states)
    .set({ last_failure_at: p.now })
    .where(sql`${states.job} in (select ${staleRun.job} from ${staleRuns(p)})`),
);

const endStale = statement({ ...stale, now: integer }, (p) =>
  queryBuilder
    .update(runs)
    .set({
      status: "failed",
      error_key: "interrupted",
      finished_at: p.now,
      duration_ms: sql`${p.now} - ${runs.started_at}`,
    })
    .where(and(sql`${runs.id} in (select ${staleRun.id} from ${staleRuns(p)})`, eq(runs.status, "running")))
    .returning({ id: runs.id, job: runs.job }),
);

// When the response to an insert is lost, the batch is repeated. These columns then identify the row.
const key = {
  job: runs.job,
  started_at: runs.started_at,
  host: runs.host,
  trigger: runs.trigger,
  fence: runs.lock_fence,
};

const isSameRun = (p: { [K in keyof typeof key]: SQL }) =>
  and(
    eq(runs.job, p.job),
    eq(runs.started_at, p.started_at),
    eq(runs.host, p.host),
    eq(runs.trigger, p.trigger),
    sql`${runs.lock_fence} is ${p.fence}`,
  );

const insertRun = statement(key, ({ fence, ...p }) =>
  insertSelect(
    runs,
    { ...p, status: "running", lock_fence: fence },
    sql`where not exists (select 1 from ${runs} where ${isSameRun({ ...p, fence })})`,
  ),
);

const recordStart = statement({ job: states.job, now: integer, fence: runs.lock_fence }, (p) =>
  queryBuilder
    .insert(states)
    .values({ job: p.job, created_at: p.now, last_started_at: p.now, fence: sql`coalesce(${p.fence}, 0)` })
    .onConflictDoUpdate({
      target: states.job,
      set: {
        last_started_at: sql`excluded.last_started_at`,
        fence: sql`max(${states.fence}, excluded.fence)`,
      },
    }),
);

const findStarted = statement(key, (p) => queryBuilder.select({ id: runs.id }).from(runs).where(isSameRun(p)));

export type NewRun = { job: string; trigger: Trigger; startedAt: number; host: string; fence: number | null };

/**
 * Inserts a new run, and ends the runs of `jobs` that are older than their lock can be, in one round trip. Returns the
 * id of the new run and the interrupted runs. Times are unix ms.
 */
export async function startRun(
  db: Db,
  run: NewRun,
  jobs: readonly Pick<Job<never>, "name" | "lockSeconds" | "renewedSeconds">[],
): Promise<{ id: number; interrupted: { id: number; job: string }[] }> {
  const { job, trigger, startedAt: now, host, fence } = run;
  const cutoffs = jobs.map((candidate) => ({ job: candidate.name, cutoff: now - maxHoldMs(candidate) }));
  const columns = { job, started_at: now, host, trigger, fence };
  const { interrupted, started } = await db.batch({
    counted: countStale({ cutoffs }),
    recorded: recordStale({ cutoffs, now }),
    interrupted: endStale({ cutoffs, now }),
    inserted: insertRun(columns),
    start: recordStart({ job, now, fence }),
    started: findStarted(columns),
  });
  if (started.first === null) throw new Error("the started run was not found");
  return { id: started.first.id, interrupted: interrupted.rows };
}

// A repeated batch finds that its own time is already stored, and counts nothing.
const countSkip = statement({ job: states.job, now: integer }, (p) =>
  addToCounter(
    insertSelect(
      counters,
      { job: p.job, name: "runs.skipped_locked", value: 1 },
      sql`where not exists (select 1 from ${states} where ${states.job} = ${p.job} and ${states.last_skipped_at} = ${p.now})`,
    ),
  ),
);

const recordSkipped = statement({ job: states.job, now: integer }, (p) =>
  queryBuilder.update(states).set({ last_skipped_at: p.now }).where(eq(states.job, p.job)),
);

/**
 * Counts a run that was skipped because the lock was held. `now` (unix ms) must differ between the skips of an isolate.
 */
export async function recordSkip(db: Db, job: string, now: number): Promise<void> {
  await db.batch({ counted: countSkip({ job, now }), recorded: recordSkipped({ job, now }) });
}
