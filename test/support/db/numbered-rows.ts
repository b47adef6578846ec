import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type InsertValues, insertSelect } from "../../../workers/kit/db/query";

/** The first and last row number that a statement inserts. */
export type Numbers = { from: number; to: number };

/**
 * Inserts one row per number in one statement. `values` may be SQL expressions of the number `i`; `rest` joins other
 * tables.
 */
export async function insertNumbered<T extends SQLiteTable>(
  d1: D1Database,
  table: T,
  { from, to }: Numbers,
  values: (i: SQL) => InsertValues<T>,
  rest = sql``,
): Promise<void> {
  const numbers = sql`with recursive n (i) as (select cast(${from} as integer) union all select i + 1 from n where i < ${to}) select i from n`;
  await drizzle(d1).run(insertSelect(table, values(sql`n.i`), sql`from (${numbers}) n ${rest}`));
}
