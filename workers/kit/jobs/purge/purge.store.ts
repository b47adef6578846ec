import { and, lt, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { holdsFence, scheduled_job_runs } from "../../../../db/kit/jobs";
import { boolean, integer, json, nullable } from "../../db/kind";
import { selectRows, tableReference } from "../../db/query";
import { statement } from "../../db/statement";
import { DAY_MS } from "../../time";

export type Bounds = Record<string, number | string>;

/**
 * Returns a function that returns the SQL of the named bound (a value that `find` compares with, such as a cut-off time).
 * All bounds are members of one JSON parameter.
 */
export const boundOf =
  (bounds: SQL, target = "") =>
  (name: string) =>
    sql`(${bounds} ->> ${sql.raw(`'$.${target}${name}'`)})`;

/**
 * The rows of one table that are past their retention.
 * - `key`: the key columns of a table WITHOUT ROWID.
 * - `find`: returns the SELECT of the keys, oldest first where sorting costs nothing. It must contain the conditions of a
 * partial index as literals, so that SQLite can use the index. `bound(name)` returns the SQL of a bound.
 * - `bounds`: the values of the bounds (unix ms, or other inputs of the SELECT).
 * - `resumesAt`: a bound, and the column whose value replaces it after each statement, so that the next one continues
 * there.
 * - `isCounted`: false when the deleted rows are not counted.
 * - `cascades`: true when a deletion also deletes rows of other tables, which are not counted.
 * - `clears`: returns assignments that clear columns of the rows instead of deleting the rows.
 * - `precededBy`: returns a change that follows from the removal of the rows, such as counters. It runs in the same batch before
 * the removal, and only while the run holds its lock (`holdsLock`). `keys` selects the same rows as the removal.
 */
export type PurgeTarget<Services> = {
  name: string;
  table: SQLiteTable;
  key?: readonly AnySQLiteColumn[];
  find: (bound: (name: string) => SQL) => SQL;
  bounds: (services: Services, now: number) => Bounds;
  resumesAt?: { bound: string; column: AnySQLiteColumn };
  isCounted?: boolean;
  cascades?: boolean;
  clears?: (bound: (name: string) => SQL) => SQL;
  precededBy?: (keys: SQL, holdsLock: SQL) => SQL;
};

const rowid = sql`rowid`;
const keyOf = (key: readonly AnySQLiteColumn[] = []) => (key.length === 0 ? rowid : sql.join([...key], sql`, `));

/**
 * Returns the target for rows of `table` whose `column` is before the cut-off time. `terms` are the conditions of the
 * partial index.
 */
export function agedRows<Services>(target: {
  name: string;
  table: SQLiteTable;
  key?: readonly AnySQLiteColumn[];
  column: AnySQLiteColumn;
  terms?: SQL;
  cutoff: (services: Services, now: number) => number;
  isCounted?: boolean;
  cascades?: boolean;
}): PurgeTarget<Services> {
  const { table, column, terms, cutoff, ...options } = target;
  return {
    ...options,
    table,
    find: (bound) =>
      sql`select ${keyOf(target.key)} from ${table} where ${and(terms, lt(column, bound("cutoff")))} order by ${column}`,
    bounds: (services, now) => ({ cutoff: cutoff(services, now) }),
  };
}

/**
 * Returns the target for rows older than `end` in a table whose `key` starts with the company and a time. The SELECT
 * visits one company after the other, so it reads no recent row. `terms` are further conditions on the time.
 */
export function agedByCompany<Services>(target: {
  name: string;
  table: SQLiteTable;
  key: readonly [company: AnySQLiteColumn, time: AnySQLiteColumn, ...others: AnySQLiteColumn[]];
  terms?: (time: AnySQLiteColumn) => SQL;
  end: (services: Services, now: number) => number | string;
  isCounted?: boolean;
}): PurgeTarget<Services> {
  const { table, key, terms, end, ...options } = target;
  const aged = alias(table, `aged_${target.name}`);
  // The property names of a table equal the names of its columns.
  const agedColumn = (column: AnySQLiteColumn) => Reflect.get(aged, column.name) as AnySQLiteColumn;
  const [company, time] = key;
  return {
    ...options,
    table,
    key,
    find: (bound) => sql`with recursive companies(id) as (
      select min(${company}) from ${table}
      union all
      select (select min(${agedColumn(company)}) from ${tableReference(aged)} where ${agedColumn(company)} > companies.id)
      from companies where companies.id is not null)
    select ${sql.join(key.map(agedColumn), sql`, `)} from companies cross join ${tableReference(aged)}
      where ${and(sql`${agedColumn(company)} = companies.id`, terms?.(agedColumn(time)), lt(agedColumn(time), bound("end")))}`,
    bounds: (services, now) => ({ end: end(services, now) }),
  };
}

const JOB_RUN_DAYS = 7;

/** Purge target: job runs older than 7 days. */
export const oldJobRuns: PurgeTarget<unknown> = agedRows({
  name: "scheduled_job_runs",
  table: scheduled_job_runs,
  column: scheduled_job_runs.started_at,
  cutoff: (_services, now) => now - JOB_RUN_DAYS * DAY_MS,
});

const slice = { bounds: json<Bounds>(), limit: integer, fence: nullable(integer) };

/** Returns the statement of `precededBy` for the rows that the statement of `removalOf` removes, or null without one. */
export function precedentOf<S>(job: string, { find, precededBy }: PurgeTarget<S>) {
  if (precededBy === undefined) return null;
  return statement(slice, (p) =>
    precededBy(sql`${find(boundOf(p.bounds))} limit ${p.limit}`, holdsFence(job, p.fence)),
  );
}

/**
 * Returns the statement that deletes at most `limit` rows of a target while the run holds its lock. For a target with
 * `resumesAt` or `cascades` it returns the deleted rows with `at`, the position of the scan.
 */
export function removalOf<S>(job: string, { table, key, find, clears, cascades, resumesAt }: PurgeTarget<S>) {
  return statement(slice, (p) => {
    const expiredKeys = find(boundOf(p.bounds));
    const change =
      clears === undefined ? sql`delete from ${table}` : sql`update ${table} set ${clears(boundOf(p.bounds))}`;
    const removal = sql`${change} where (${keyOf(key)}) in (${expiredKeys} limit ${p.limit}) and ${holdsFence(job, p.fence)}`;
    // D1's number of changes includes cascades, so RETURNING counts the deleted rows.
    const removed = { at: sql`${resumesAt?.column ?? sql`1`}`.mapWith(integer) };
    return cascades || resumesAt ? selectRows(removed, (columns) => sql`${removal} returning ${columns}`) : removal;
  });
}

/** A target as `workStatements` surveys it. `hasWork` replaces `find` where `find` would scan too many rows. */
type WorkTarget<S> = PurgeTarget<S> & { hasWork?: PurgeTarget<S>["find"] };

/**
 * Returns the statements that survey all targets at once: `findWork` checks which have work, `countWork` counts their
 * rows. `bounds` are keyed by target.
 */
export function workStatements<S>(targets: readonly WorkTarget<S>[]) {
  const allBounds = { bounds: json<Record<string, Bounds>>() };
  const select = <T>(term: (target: WorkTarget<S>, bound: (name: string) => SQL) => SQL<T>) =>
    statement(allBounds, (p) => {
      const fields = targets.map(
        (target) => [target.name, term(target, boundOf(p.bounds, `${target.name}.`))] as const,
      );
      return selectRows(Object.fromEntries(fields), (columns) => sql`select ${columns}`);
    });
  return {
    findWork: select(({ find, hasWork = find }, bound) => sql`exists (${hasWork(bound)})`.mapWith(boolean)),
    countWork: select(({ find }, bound) => sql`(select count(*) from (${find(bound)}))`.mapWith(integer)),
  };
}
