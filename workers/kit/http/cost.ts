import type { Db } from "../db/db";
import type { Limiter } from "../limits/limiter";
import type { LogFields } from "../log";

/** What the work so far has cost, as fields of a log line. */
export function costOf({ db, limiter }: { db: Db; limiter: Limiter }): LogFields {
  return {
    db_round_trips: db.stats.roundTrips,
    db_rows_read: db.stats.rowsRead,
    db_rows_written: db.stats.rowsWritten,
    limiter_calls: limiter.calls(),
  };
}
