import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Returns a text that sorts before every time-ordered UUID created at `ms` (unix) or later, and after every earlier
 * one. Times before 1970 count as 1970.
 */
export function idBefore(ms: SQLWrapper): SQL<string> {
  return sql`printf('%08x-%04x', max(${ms}, 0) / 65536, max(${ms}, 0) % 65536)`;
}
