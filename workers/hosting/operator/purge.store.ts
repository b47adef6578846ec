import { event_log } from "../../../db/hosting/schema";
import { oldAuditEntries } from "../../kit/audit/purge.store";
import { expiredRowsOf } from "../../kit/webhooks/purge.store";

/** The purge targets, in the order in which they are reported. */
export const expiredRows = [...expiredRowsOf(event_log), oldAuditEntries()];
