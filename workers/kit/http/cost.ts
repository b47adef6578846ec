import type { Databases } from "../db/db";
import type { Limiter } from "../limits/limiter";
import type { LogFields } from "../log";

/** Returns the cost of a request so far as fields of a log line. */
export function costOf({
  platformDb: { stats },
  limiter,
}: Pick<Databases, "platformDb"> & { limiter: Limiter }): LogFields {
  return {
    db_round_trips: stats.roundTrips,
    db_rows_read: stats.rowsRead,
    db_rows_written: stats.rowsWritten,
    limiter_calls: limiter.calls(),
  };
}
