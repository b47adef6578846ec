import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** Below every time-ordered uuid that was made at `ms` (unix) or later, and above every earlier one; before 1970 there is none. */
export function idBefore(ms: SQLWrapper): SQL<string> {
  return sql`printf('%08x-%04x', max(${ms}, 0) / 65536, max(${ms}, 0) % 65536)`;
}
