import { and, desc, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../db/kit/jobs";
import { integer, json, nullable, text } from "../db/kind";
import { all, each, from, ifGiven, q, rows } from "../db/query";
import { statement } from "../db/statement";

// Lists take the names of the service's jobs, in whose order they answer.
const named = { jobs: json<readonly string[]>() };
const eachJob = (p: { jobs: SQL<readonly string[]> }) => each(p.jobs, "j");

export const listStates = statement(named, (p) => {
  const j = eachJob(p);
  return rows(
    all(states),
    (columns) =>
      sql`select ${columns} from ${j.from} cross join ${states} on ${states.job} = ${j.value} order by j.key`,
  );
});

export const listCounters = statement(named, (p) => {
  const j = eachJob(p);
  return rows(
    all(counters),
    (columns) => sql`select ${columns} from ${j.from} cross join ${counters} on ${counters.job} = ${j.value}
      order by j.key, ${counters.name}`,
  );
});

const r = alias(runs, "r");
const n = alias(runs, "n");

/** The newest run of each job: any, one that has ended, one that succeeded. */
export const listNewest = statement(named, (p) => {
  const j = eachJob(p);
  const newest = (columns: SQL, term: SQL) => sql`select ${columns} from ${j.from} cross join ${from(r)} on ${r.id} =
    (select ${n.id} from ${from(n)} where ${and(eq(n.job, j.value), term)}
     order by ${desc(n.started_at)}, ${desc(n.id)} limit 1)`;
  const ofRun = sql.join(Object.values(all(r)), sql`, `);
  return rows(
    { which: sql`'any'`.mapWith(text) as SQL<"any" | "finished" | "succeeded">, ...all(r) },
    (columns) => sql`${newest(columns, sql`true`)}
      union all ${newest(sql`'finished', ${ofRun}`, ne(n.status, "running"))}
      union all ${newest(sql`'succeeded', ${ofRun}`, eq(n.status, "succeeded"))}`,
  );
});

export const countRecent = statement({ ...named, since: integer }, (p) => {
  const j = eachJob(p);
  const sum = (status: "succeeded" | "failed") => sql`sum(${eq(runs.status, status)})`.mapWith(integer);
  return rows(
    { job: runs.job, succeeded: sum("succeeded"), failed: sum("failed") },
    (columns) => sql`select ${columns} from ${j.from} cross join ${runs} on ${runs.job} = ${j.value}
      and ${gt(runs.started_at, p.since)} group by ${runs.job}`,
  );
});

/** Runs of a job, newest first, behind the position. */
export const listRuns = statement(
  { job: runs.job, status: nullable(runs.status), started_at: integer, id: integer, limit: integer },
  (p) =>
    q
      .select(all(runs))
      .from(runs)
      .where(
        and(
          eq(runs.job, p.job),
          ifGiven(p.status, eq(runs.status, p.status)),
          sql`(${runs.started_at}, ${runs.id}) < (${p.started_at}, ${p.id})`,
        ),
      )
      .orderBy(desc(runs.started_at), desc(runs.id))
      .limit(p.limit),
);

export const findRun = statement({ id: nullable(runs.id) }, (p) =>
  q.select(all(runs)).from(runs).where(eq(runs.id, p.id)),
);
