import { event_log } from "../../../db/hosting/schema";
import { oldAuditEntries } from "../../kit/audit/purge.store";
import { expiredRowsOf } from "../../kit/webhooks/purge.store";

/** What is purged, in the order in which it is reported. */
export const expiredRows = [...expiredRowsOf(event_log), oldAuditEntries()];
