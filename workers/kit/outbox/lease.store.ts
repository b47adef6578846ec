import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Returns the condition that an outbox row has no lease, or that its lease has expired at `now` (unix ms). */
export function hasNoLease(row: { locked_until: SQLWrapper }, now: SQLWrapper): SQL {
  return sql`(${row.locked_until} is null or ${row.locked_until} <= ${now})`;
}
