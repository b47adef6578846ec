import { type Statement, sql } from "../db";
import type { FlagValues } from "../management/flags";
import { type Counts, hourly, type Job, type JobRun, type JobServices, listCounts } from "./job";
import { holdsFence } from "./runs/run.store";

/**
 * Rows of one table that have outlived their retention. `find` is the SELECT of their rowids, oldest first where the order
 * costs nothing, with terms of partial indexes as literals; `bound(name)` is the SQL of a bound. `bounds` are its values
 * (unix ms, or what the SELECT wants). `isCounted` false: the rows stand in no count. `cascades`: other rows go with a row,
 * and are not counted. `clears`: the rows stay, and lose what it sets.
 */
export type PurgeTarget<Services> = {
  name: string;
  table: string;
  find: (bound: (name: string) => string) => string;
  bounds: (services: Services, now: number) => Record<string, number | string>;
  isCounted?: boolean;
  cascades?: boolean;
  clears?: string;
};

type Prepared<Services> = PurgeTarget<Services> & { remove: Statement };

const JOB = "purge_expired_data";
/** Deletions of one run: an invocation may make 1000 queries (details of Document 3, 3.6, point 4). */
const MAX_STATEMENTS = 900;
const JOB_RUN_DAYS = 7;
const DAY_MS = 86_400_000;

/** Rows of `table` whose `column` is before the cut; `terms` are those of the partial index that serves it. */
export function agedRows<Services>(target: {
  name: string;
  table: string;
  column: string;
  terms?: string;
  cut: (services: Services, now: number) => number;
  isCounted?: boolean;
  cascades?: boolean;
}): PurgeTarget<Services> {
  const { name, table, column, terms, cut, ...options } = target;
  const where = terms === undefined ? "" : `${terms} AND `;
  return {
    name,
    table,
    ...options,
    find: (bound) => `SELECT rowid FROM ${table} WHERE ${where}${column} < ${bound("cut")} ORDER BY ${column}`,
    bounds: (services, now) => ({ cut: cut(services, now) }),
  };
}

/** Job runs are kept 7 days. */
export const oldJobRuns: PurgeTarget<unknown> = agedRows({
  name: "scheduled_job_runs",
  table: "scheduled_job_runs",
  column: "started_at",
  cut: (_services, now) => now - JOB_RUN_DAYS * DAY_MS,
});

/**
 * The job `purge_expired_data` over `targets`, in their order (details of Document 3, 3.6): one SELECT finds out whether
 * there is anything to do, then each target loses `batch_size` rows a statement. Call at module level.
 */
export function purgeJob<S extends JobServices>(targets: readonly PurgeTarget<S>[]): Job<S> {
  // `?1` holds the bounds of one target.
  const bound = (name: string) => `(?1 ->> '$.${name}')`;
  const prepared = targets.map((target) => {
    const { table, clears, cascades } = target;
    const what = clears === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${clears}`;
    return {
      ...target,
      // The changes that the database tells include those of a cascade.
      remove: sql(`${what} WHERE rowid IN (${target.find(bound)} LIMIT ?2)
AND ${holdsFence(JOB, "?3")}${cascades ? " RETURNING 1 AS removed" : ""}`),
    };
  });
  // Here `?1` holds the bounds of all, by target.
  const findAll = (target: PurgeTarget<S>) => target.find((name) => `(?1 ->> '$.${target.name}.${name}')`);
  const select = (term: (target: PurgeTarget<S>) => string) =>
    sql(`SELECT ${targets.map((target) => `${term(target)} AS ${target.name}`).join(",\n")}`);
  const findWork = select((target) => `EXISTS (${findAll(target)})`);
  const countWork = select((target) => `(SELECT count(*) FROM (${findAll(target)}))`);
  const counted = prepared.filter(({ isCounted }) => isCounted !== false).map(({ name }) => name);
  const allBounds = (services: S, now: number) =>
    JSON.stringify(Object.fromEntries(targets.map((target) => [target.name, target.bounds(services, now)])));
  const toCounts = (rows: Record<string, number>) => Object.fromEntries(counted.map((name) => [name, rows[name] ?? 0]));

  return {
    name: JOB,
    schedule: hourly,
    overdueAfterSeconds: 8100,
    lockSeconds: 900,
    counts: counted,
    scheduledFlags: { batch_size: 2000, max_seconds: 300 },
    summarize: (counts) => `deleted ${listCounts(counts)}`,
    run: async (services, run, flags) => {
      const { db } = services;
      const work = await db.first<Record<string, number>>(findWork.bind(db, allBounds(services, run.startedAt)));
      const due = prepared.filter(({ name }) => work?.[name] === 1);
      const { deleted, complete } = await removeAll(services, due, run, flags, toCounts);
      return { ...toCounts(deleted), complete };
    },
    preview: async (services) => {
      const { db, clock } = services;
      const rows = await db.first<Record<string, number>>(countWork.bind(db, allBounds(services, clock.now())));
      const counts = toCounts(rows ?? {});
      return { summary: `would delete ${listCounts(counts)}`, counts };
    },
  };
}

/** Deletes target by target until nothing is left, or until time or statements of the run are used up. */
async function removeAll<S extends JobServices>(
  services: S,
  targets: readonly Prepared<S>[],
  run: JobRun,
  flags: FlagValues,
  toCounts: (rows: Record<string, number>) => Counts,
): Promise<{ deleted: Record<string, number>; complete: boolean }> {
  const { db, clock } = services;
  const batchSize = Number(flags.batch_size);
  const maxMs = Number(flags.max_seconds) * 1000;
  const deadline = Math.min(maxMs > 0 ? run.startedAt + maxMs : Number.POSITIVE_INFINITY, run.stopAt);
  const deleted: Record<string, number> = {};
  let statements = 0;
  for (const target of targets) {
    const bounds = JSON.stringify(target.bounds(services, run.startedAt));
    for (;;) {
      if (clock.now() >= deadline || statements >= MAX_STATEMENTS) return { deleted, complete: false };
      statements += 1;
      const { results, meta } = await db.run(target.remove.bind(db, bounds, batchSize, run.fence));
      const rows = target.cascades ? results.length : meta.changes;
      deleted[target.name] = (deleted[target.name] ?? 0) + rows;
      run.report(toCounts(deleted));
      if (rows < batchSize) break;
    }
  }
  return { deleted, complete: true };
}
