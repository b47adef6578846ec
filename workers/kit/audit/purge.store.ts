import { audit_log } from "../../../db/kit/audit";
import { agedRows, type PurgeTarget } from "../jobs/purge/purge.store";
import { DAY_MS } from "../time";

const RETENTION_DAYS = 400;

/** Purge target: audit entries older than 400 days. With `isCounted` the summary line of the job shows their number. */
export const oldAuditEntries = ({ isCounted = false } = {}): PurgeTarget<unknown> =>
  agedRows({
    name: "audit_log",
    table: audit_log,
    column: audit_log.at,
    cutoff: (_services, now) => now - RETENTION_DAYS * DAY_MS,
    isCounted,
  });
