import { and, lt, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { holdsFence, scheduled_job_runs } from "../../../../db/kit/jobs";
import { boolean, integer, json, nullable } from "../../db/kind";
import { from, rows } from "../../db/query";
import { statement } from "../../db/statement";
import { DAY_MS } from "../../time";

export type Bounds = Record<string, number | string>;

/** The SQL of a bound by its name, of bounds that are given as JSON. */
export const boundOf =
  (bounds: SQL, target = "") =>
  (name: string) =>
    sql`(${bounds} ->> ${sql.raw(`'$.${target}${name}'`)})`;

/**
 * Rows of one table that have outlived their retention. `find` is the SELECT of their keys, oldest first where the order
 * costs nothing, with terms of partial indexes as literals; `bound(name)` is the SQL of a bound. `key`: the columns of the
 * key, of a table WITHOUT ROWID. `bounds` are values (unix ms, or what the SELECT wants). `walks`: the name of a bound and
 * the column that the SELECT goes along from it, so that a slice begins where the one before ended. `isCounted` false: the
 * rows stand in no count. `cascades`: other rows go with a row, and are not counted. `clears`: the rows stay, and lose what
 * it sets.
 */
export type PurgeTarget<Services> = {
  name: string;
  table: SQLiteTable;
  key?: readonly AnySQLiteColumn[];
  find: (bound: (name: string) => SQL) => SQL;
  bounds: (services: Services, now: number) => Bounds;
  walks?: { bound: string; column: AnySQLiteColumn };
  isCounted?: boolean;
  cascades?: boolean;
  clears?: SQL;
};

const rowid = sql`rowid`;
const keyOf = (key: readonly AnySQLiteColumn[] = []) => (key.length === 0 ? rowid : sql.join([...key], sql`, `));

/** Rows of `table` whose `column` is before the cut; `terms` are those of the partial index that serves it. */
export function agedRows<Services>(target: {
  name: string;
  table: SQLiteTable;
  key?: readonly AnySQLiteColumn[];
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
    find: (bound) =>
      sql`select ${keyOf(target.key)} from ${table} where ${and(terms, lt(column, bound("cut")))} order by ${column}`,
    bounds: (services, now) => ({ cut: cut(services, now) }),
  };
}

/**
 * Rows of a table whose key begins with the company and a time (`key`), from before `end`: they are looked up company by
 * company, so that no recent row is read. `terms` are further ones about the time.
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
  // Keys of a table are the names of its columns.
  const ofAged = (column: AnySQLiteColumn) => Reflect.get(aged, column.name) as AnySQLiteColumn;
  const [company, time] = key;
  return {
    ...options,
    table,
    key,
    find: (bound) => sql`with recursive companies(id) as (
      select min(${company}) from ${table}
      union all
      select (select min(${ofAged(company)}) from ${from(aged)} where ${ofAged(company)} > companies.id)
      from companies where companies.id is not null)
    select ${sql.join(key.map(ofAged), sql`, `)} from companies cross join ${from(aged)}
      where ${and(sql`${ofAged(company)} = companies.id`, terms?.(ofAged(time)), lt(ofAged(time), bound("end")))}`,
    bounds: (services, now) => ({ end: end(services, now) }),
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

/**
 * The statement that takes rows of a target away, at most `limit`, while the run of the job has its lock; it answers `at`,
 * where the target walks to.
 */
export function removalOf<S>(job: string, { table, key, find, clears, cascades, walks }: PurgeTarget<S>) {
  return statement({ bounds: json<Bounds>(), limit: integer, fence: nullable(integer) }, (p) => {
    const found = find(boundOf(p.bounds));
    const change = clears === undefined ? sql`delete from ${table}` : sql`update ${table} set ${clears}`;
    const removal = sql`${change} where (${keyOf(key)}) in (${found} limit ${p.limit}) and ${holdsFence(job, p.fence)}`;
    // The changes that the database tells include those of a cascade.
    const removed = { at: sql`${walks?.column ?? sql`1`}`.mapWith(integer) };
    return cascades || walks ? rows(removed, (columns) => sql`${removal} returning ${columns}`) : removal;
  });
}

/** A target as the survey asks for it. `hasWork`: what stands for work to do, where `find` would be too much to look at. */
type Surveyed<S> = PurgeTarget<S> & { hasWork?: PurgeTarget<S>["find"] };

/** The statements that ask all targets at once: whether there is anything to do, and how much. `bounds` are by target. */
export function surveyOf<S>(targets: readonly Surveyed<S>[]) {
  const all = { bounds: json<Record<string, Bounds>>() };
  const select = <T>(term: (target: Surveyed<S>, bound: (name: string) => SQL) => SQL<T>) =>
    statement(all, (p) => {
      const fields = targets.map(
        (target) => [target.name, term(target, boundOf(p.bounds, `${target.name}.`))] as const,
      );
      return rows(Object.fromEntries(fields), (columns) => sql`select ${columns}`);
    });
  return {
    findWork: select(({ find, hasWork = find }, bound) => sql`exists (${hasWork(bound)})`.mapWith(boolean)),
    countWork: select(({ find }, bound) => sql`(select count(*) from (${find(bound)}))`.mapWith(integer)),
  };
}
