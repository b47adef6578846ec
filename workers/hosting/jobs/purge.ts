import { agedRows, oldJobRuns, purgeJob } from "../../kit/jobs/purge";
import type { HostingServices } from "../services";

const DAY_MS = 86_400_000;

/** What is purged, in the order of the contract (details of Document 3, 3.6); events of the platform too. */
export const purgeExpiredData = purgeJob<HostingServices>([
  agedRows({
    name: "events",
    table: "event_log",
    column: "created_at",
    cut: ({ settings }, now) => now - settings.eventRetentionDays * DAY_MS,
  }),
  oldJobRuns,
]);
