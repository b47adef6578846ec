import { and, lt, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { holdsFence, scheduled_job_runs } from "../../../db/kit/jobs";
import { boolean, integer, json, nullable } from "../db/kind";
import { name, rows } from "../db/query";
import { statement } from "../db/statement";
import { DAY_MS } from "../time";

type Bounds = Record<string, number | string>;

/**
 * Rows of one table that have outlived their retention. `find` is the SELECT of their rowids, or of the columns of `key`
 * where the table has none, oldest first where the order costs nothing, with terms of partial indexes as literals; `bound(name)` is the SQL of a bound. `bounds` are its values
 * (unix ms, or what the SELECT wants). `isCounted` false: the rows stand in no count. `cascades`: other rows go with a row,
 * and are not counted. `clears`: the rows stay, and lose what it sets.
 */
export type PurgeTarget<Services> = {
  name: string;
  table: SQLiteTable;
  key?: readonly AnySQLiteColumn[];
  find: (bound: (name: string) => SQL) => SQL;
  bounds: (services: Services, now: number) => Bounds;
  isCounted?: boolean;
  cascades?: boolean;
  clears?: SQL;
};

/** Rows of `table` whose `column` is before the cut; `terms` are those of the partial index that serves it. */
export function agedRows<Services>(target: {
  name: string;
  table: SQLiteTable;
  column: AnySQLiteColumn;
  terms?: SQL;
  cut: (services: Services, now: number) => number;
  isCounted?: boolean;
  cascades?: boolean;
}): PurgeTarget<Services> {
  const { table, column, terms, cut, ...options } = target;
  return {
    ...options,
    table,
    find: (bound) => sql`select rowid from ${table} where ${and(terms, lt(column, bound("cut")))} order by ${column}`,
    bounds: (services, now) => ({ cut: cut(services, now) }),
  };
}

const JOB_RUN_DAYS = 7;

/** Job runs are kept 7 days. */
export const oldJobRuns: PurgeTarget<unknown> = agedRows({
  name: "scheduled_job_runs",
  table: scheduled_job_runs,
  column: scheduled_job_runs.started_at,
  cut: (_services, now) => now - JOB_RUN_DAYS * DAY_MS,
});

/** The statement that takes rows of a target away, at most `limit`, while the run of the job has its lock. */
export function removalOf<S>(job: string, { table, key, find, clears, cascades }: PurgeTarget<S>) {
  const keyOf = key === undefined ? sql`rowid` : sql`(${sql.join(key.map(name), sql`, `)})`;
  return statement({ bounds: json<Bounds>(), limit: integer, fence: nullable(integer) }, (p) => {
    const found = find((name) => sql`(${p.bounds} ->> ${sql.raw(`'$.${name}'`)})`);
    const change = clears === undefined ? sql`delete from ${table}` : sql`update ${table} set ${clears}`;
    const removal = sql`${change} where ${keyOf} in (${found} limit ${p.limit}) and ${holdsFence(job, p.fence)}`;
    // The changes that the database tells include those of a cascade.
    const removed = { removed: sql`1`.mapWith(integer) };
    return cascades ? rows(removed, (columns) => sql`${removal} returning ${columns}`) : removal;
  });
}

/** The statements that ask all targets at once: whether there is anything to do, and how much. `bounds` are by target. */
export function surveyOf<S>(targets: readonly PurgeTarget<S>[]) {
  const all = { bounds: json<Record<string, Bounds>>() };
  const select = <T>(term: (found: SQL) => SQL<T>) =>
    statement(all, (p) => {
      const fields = targets.map(({ name: target, find }) => {
        const found = find((name) => sql`(${p.bounds} ->> ${sql.raw(`'$.${target}.${name}'`)})`);
        return [target, term(found)] as const;
      });
      return rows(Object.fromEntries(fields), (columns) => sql`select ${columns}`);
    });
  return {
    findWork: select((found) => sql`exists (${found})`.mapWith(boolean)),
    countWork: select((found) => sql`(select count(*) from (${found}))`.mapWith(integer)),
  };
}
