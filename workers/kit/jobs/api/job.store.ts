import { and, desc, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../../db/kit/jobs";
import { integer, json, nullable, text } from "../../db/kind";
import {
  allColumns,
  filterUnlessNull,
  indexedBy,
  jsonEach,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../db/query";
import { statement } from "../../db/statement";
import { walk, walkParameters } from "../../db/walk";

// The lists accept the names of the service's jobs and return rows in that order.
const jobNames = { jobs: json<readonly string[]>() };
const eachJob = (p: { jobs: SQL<readonly string[]> }) => jsonEach(p.jobs, "j");

export const listStates = statement(jobNames, (p) => {
  const j = eachJob(p);
  return selectRows(
    allColumns(states),
    (columns) =>
      sql`select ${columns} from ${j.from} cross join ${states} on ${states.job} = ${j.value} order by j.key`,
  );
});

export const listCounters = statement(jobNames, (p) => {
  const j = eachJob(p);
  return selectRows(
    allColumns(counters),
    (columns) => sql`select ${columns} from ${j.from} cross join ${counters} on ${counters.job} = ${j.value}
      order by j.key, ${counters.name}`,
  );
});

const r = alias(runs, "r");
const n = alias(runs, "n");

/** Statement: for each job its newest run, its newest finished run, and its newest successful run. */
export const listNewest = statement(jobNames, (p) => {
  const j = eachJob(p);
  const newest = (
    columns: SQL,
    term: SQL,
  ) => sql`select ${columns} from ${j.from} cross join ${tableReference(r)} on ${r.id} =
    (select ${n.id} from ${tableReference(n)} where ${and(eq(n.job, j.value), term)}
     order by ${desc(n.started_at)}, ${desc(n.id)} limit 1)`;
  const ofRun = sql.join(Object.values(allColumns(r)), sql`, `);
  return selectRows(
    { which: sql`'any'`.mapWith(text) as SQL<"any" | "finished" | "succeeded">, ...allColumns(r) },
    (columns) => sql`${newest(columns, sql`true`)}
      union all ${newest(sql`'finished', ${ofRun}`, ne(n.status, "running"))}
      union all ${newest(sql`'succeeded', ${ofRun}`, eq(n.status, "succeeded"))}`,
  );
});

export const countRecent = statement({ ...jobNames, since: integer }, (p) => {
  const j = eachJob(p);
  const sum = (status: "succeeded" | "failed") => sql`sum(${eq(runs.status, status)})`.mapWith(integer);
  return selectRows(
    { job: runs.job, succeeded: sum("succeeded"), failed: sum("failed") },
    (columns) => sql`select ${columns} from ${j.from} cross join ${runs} on ${runs.job} = ${j.value}
      and ${gt(runs.started_at, p.since)} group by ${runs.job}`,
  );
});

/** Statement: a page of the runs of a job, newest first, after the cursor position. */
export const listRuns = statement(
  { job: runs.job, status: nullable(runs.status), started_at: integer, id: integer, ...walkParameters },
  (p) => {
    const isAfterCursor = and(eq(n.job, p.job), sql`(${n.started_at}, ${n.id}) < (${p.started_at}, ${p.id})`);
    const range = sql`from ${indexedBy(n, "scheduled_job_runs_job")} where ${isAfterCursor}
      order by ${desc(n.started_at)}, ${desc(n.id)}`;
    const page = walk({ key: n.id, matches: filterUnlessNull(p.status, eq(n.status, p.status)), range }, p);
    return selectRows(
      { ...allColumns(r), ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${tableReference(r)} on ${r.id} = ${page.key}
        order by ${desc(r.started_at)}, ${desc(r.id)}`,
    );
  },
);

export const findRun = statement({ id: nullable(runs.id) }, (p) =>
  queryBuilder.select(allColumns(runs)).from(runs).where(eq(runs.id, p.id)),
);
