import { event_log, upload_hours } from "../../../db/storage/schema";
import { oldAuditEntries } from "../../kit/audit/purge.store";
import { agedByCompany, type PurgeTarget } from "../../kit/jobs/purge/purge.store";
import type { ScannedTarget } from "../../kit/jobs/purge/purge-scan.store";
import { DAY_MS, HOUR_MS } from "../../kit/time";
import { expiredRowsOf } from "../../kit/webhooks/purge.store";
import { endedShares } from "./purge-shares.store";

/** The longest period of an upload gauge (30 days) plus one day. */
const UPLOAD_DAYS = 31;

type Services = { settings: { eventRetentionDays: number } };

/** The rows that the purge deletes, in the order of the job's report. The sweep removes the leftovers of uploads. */
export const expiredRows: (PurgeTarget<Services> | ScannedTarget<Services>)[] = [
  ...expiredRowsOf(event_log),
  agedByCompany({
    name: "upload_hours",
    table: upload_hours,
    key: [upload_hours.company_id, upload_hours.hour],
    end: (_services, now) => Math.floor((now - UPLOAD_DAYS * DAY_MS) / HOUR_MS),
    isCounted: false,
  }),
  endedShares,
  oldAuditEntries(),
];
