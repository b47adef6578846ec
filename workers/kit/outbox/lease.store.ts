import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Whether no live lease (unix ms) holds a row of an outbox: none was taken, or its holder never came back. */
export function isFree(row: { locked_until: SQLWrapper }, now: SQLWrapper): SQL {
  return sql`(${row.locked_until} is null or ${row.locked_until} <= ${now})`;
}
