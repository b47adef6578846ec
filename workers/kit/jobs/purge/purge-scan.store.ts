import { and, asc, gt, lt, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { holdsFence } from "../../../../db/kit/jobs";
import { integer, json, nullable, text } from "../../db/kind";
import { columnName, selectRows } from "../../db/query";
import { statement } from "../../db/statement";
import { idBefore } from "../../ids";
import { HOUR_MS } from "../../time";
import { type Bounds, boundOf, type PurgeTarget } from "./purge.store";

type Bound = (name: string) => SQL;

/**
 * A purge target for a table whose key is a time-ordered UUID and that has no index for its purge. The purge scans the
 * key over the rows that are at least `ageMs` old; `isExpired` selects those past their retention.
 */
export type ScannedTarget<Services> = {
  name: string;
  table: SQLiteTable;
  key: AnySQLiteColumn;
  ageMs: number;
  isExpired: (bound: Bound) => SQL | undefined;
  bounds: (services: Services, now: number) => Bounds;
  /** false when the deleted rows are not counted */
  isCounted?: boolean;
};

/** The number of keys that one slice of a scan reads. A slice deletes no more rows than other statements of a purge. */
const KEYS_OF_SLICE = 20_000;

/**
 * Returns the key ranges that a purge at `now` (unix ms) scans: ids that are old enough, and ids greater than any
 * current id. The latter belong to rows from before ids were time-ordered.
 */
export function scannedRanges({ ageMs }: { ageMs: number }, now: number): { after: string; before: string }[] {
  return [
    { after: "", before: idBefore(now - ageMs) },
    { after: idBefore(now + HOUR_MS), before: "~" },
  ];
}

/**
 * Returns the target for the survey. `hasWork` selects all rows that the scan would read, because only the scan finds
 * out whether one of them is past its retention.
 */
export function scannedTarget<S>(target: ScannedTarget<S>): PurgeTarget<S> & { hasWork: PurgeTarget<S>["find"] } {
  const { key, isExpired, ...options } = target;
  const { table } = target;
  const inRanges = (terms: (bound: Bound) => SQL | undefined) => (bound: Bound) =>
    sql`select ${key} from ${table} where ${and(lt(key, bound("before")), terms(bound))}
      union all select ${key} from ${table} where ${and(gt(key, bound("after")), terms(bound))}`;
  return {
    ...options,
    find: inRanges(isExpired),
    hasWork: inRanges(() => undefined),
    bounds: (services, now) => {
      const [old, future] = scannedRanges(target, now);
      return { ...target.bounds(services, now), before: old?.before ?? "", after: future?.after ?? "~" };
    },
  };
}

/**
 * Returns the statements of one slice of a scan, for one batch. `remove` deletes at most `limit` rows past their
 * retention while the run holds its lock. `last` returns the key after which the next slice starts, or null at the end.
 */
export function sliceOf<S>(job: string, { table, key, isExpired }: ScannedTarget<S>) {
  const slice = { bounds: json<Bounds>(), after: text, before: text, limit: integer };
  type Slice = Record<keyof typeof slice, SQL>;
  const keys = (p: Slice) =>
    sql`select ${key} from ${table} where ${and(gt(key, p.after), lt(key, p.before))} order by ${asc(key)} limit ${KEYS_OF_SLICE}`;
  const expiredKeys = (p: Slice) =>
    sql`select ${key} from ${table} where ${key} in (${keys(p)}) and (${isExpired(boundOf(p.bounds))}) order by ${asc(key)}`;
  return {
    last: statement(slice, (p) => {
      const last = sql`coalesce((${expiredKeys(p)} limit 1 offset ${p.limit} - 1), (select max(${columnName(key)}) from (${keys(p)})))`;
      return selectRows({ last: last.mapWith(nullable(text)) }, (columns) => sql`select ${columns}`);
    }),
    remove: statement(
      { ...slice, fence: nullable(integer) },
      (p) =>
        sql`delete from ${table} where ${key} in (${expiredKeys(p)} limit ${p.limit}) and ${holdsFence(job, p.fence)}`,
    ),
  };
}
