import { and, desc, eq, gt, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  scheduled_job_counters as counters,
  scheduled_job_runs as runs,
  scheduled_job_states as states,
} from "../../../../db/kit/jobs";
import { boundedScan, scanParameters } from "../../db/bounded-scan";
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

// The lists accept the names of the service's jobs and return rows in that order.
const jobNames = { jobs: json<readonly string[]>() };
const eachJob = (p: { jobs: SQL<readonly string[]> }) => jsonEach(p.jobs, "listed");

export const listStates = statement(jobNames, (p) => {
  const listed = eachJob(p);
  return selectRows(
    allColumns(states),
    (columns) =>
      sql`select ${columns} from ${listed.from}
        cross join ${states} on ${states.job} = ${listed.value} order by listed.key`,
  );
});

export const listCounters = statement(jobNames, (p) => {
  const listed = eachJob(p);
  return selectRows(
    allColumns(counters),
    (columns) => sql`select ${columns} from ${listed.from} cross join ${counters} on ${counters.job} = ${listed.value}
      order by listed.key, ${counters.name}`,
  );
});

const run = alias(runs, "run");
const candidate = alias(runs, "candidate");

/** Statement: for each job its newest run, its newest finished run, and its newest successful run. */
export const listNewest = statement(jobNames, (p) => {
  const listed = eachJob(p);
  const newest = (
    columns: SQL,
    term: SQL,
  ) => sql`select ${columns} from ${listed.from} cross join ${tableReference(run)} on ${run.id} =
    (select ${candidate.id} from ${tableReference(candidate)} where ${and(eq(candidate.job, listed.value), term)}
     order by ${desc(candidate.started_at)}, ${desc(candidate.id)} limit 1)`;
  const ofRun = sql.join(Object.values(allColumns(run)), sql`, `);
  return selectRows(
    { which: sql`'any'`.mapWith(text) as SQL<"any" | "finished" | "succeeded">, ...allColumns(run) },
    (columns) => sql`${newest(columns, sql`true`)}
      union all ${newest(sql`'finished', ${ofRun}`, ne(candidate.status, "running"))}
      union all ${newest(sql`'succeeded', ${ofRun}`, eq(candidate.status, "succeeded"))}`,
  );
});

export const countRecent = statement({ ...jobNames, since: integer }, (p) => {
  const listed = eachJob(p);
  const sum = (status: "succeeded" | "failed") => sql`sum(${eq(runs.status, status)})`.mapWith(integer);
  return selectRows(
    { job: runs.job, succeeded: sum("succeeded"), failed: sum("failed") },
    (columns) => sql`select ${columns} from ${listed.from} cross join ${runs} on ${runs.job} = ${listed.value}
      and ${gt(runs.started_at, p.since)} group by ${runs.job}`,
  );
});

/** Statement: a page of the runs of a job, newest first, after the cursor position. */
export const listRuns = statement(
  { job: runs.job, status: nullable(runs.status), started_at: integer, id: integer, ...scanParameters },
  (p) => {
    const isAfterCursor = and(
      eq(candidate.job, p.job),
      sql`(${candidate.started_at}, ${candidate.id}) < (${p.started_at}, ${p.id})`,
    );
    const range = sql`from ${indexedBy(candidate, "scheduled_job_runs_job")} where ${isAfterCursor}
      order by ${desc(candidate.started_at)}, ${desc(candidate.id)}`;
    const page = boundedScan(
      { key: candidate.id, matches: filterUnlessNull(p.status, eq(candidate.status, p.status)), range },
      p,
    );
    return selectRows(
      { ...allColumns(run), ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${tableReference(run)} on ${run.id} = ${page.key}
        order by ${desc(run.started_at)}, ${desc(run.id)}`,
    );
  },
);

export const findRun = statement({ id: nullable(runs.id) }, (p) =>
  queryBuilder.select(allColumns(runs)).from(runs).where(eq(runs.id, p.id)),
);
