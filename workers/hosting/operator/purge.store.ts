import { event_log, hosting_visits } from "../../../db/hosting/schema";
import { oldAuditEntries } from "../../kit/audit/purge.store";
import { agedRows } from "../../kit/jobs/purge/purge.store";
import { expiredRowsOf } from "../../kit/webhooks/purge.store";

/** Purge target: visits that have ended and links that nobody opened. They are not counted. */
const endedVisits = agedRows({
  name: "visits",
  table: hosting_visits,
  key: [hosting_visits.token_hash],
  column: hosting_visits.expires_at,
  cutoff: (_services, now) => now,
  isCounted: false,
});

/** The purge targets, in the order in which they are reported. */
export const expiredRows = [...expiredRowsOf(event_log), oldAuditEntries(), endedVisits];
