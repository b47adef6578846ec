import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Returns whether no live lease (unix ms) holds an outbox row: it was never leased, or its lease has expired. */
export function isFree(row: { locked_until: SQLWrapper }, now: SQLWrapper): SQL {
  return sql`(${row.locked_until} is null or ${row.locked_until} <= ${now})`;
}
