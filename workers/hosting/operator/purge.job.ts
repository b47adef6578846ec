import { agedRows, oldJobRuns, purgeJob } from "../../kit/jobs/purge.job";
import { endedSecrets, finishedEmailPosts, finishedWebhooks, quietHosts } from "../../kit/webhooks/purge";
import type { HostingServices } from "../services";

const DAY_MS = 86_400_000;

const retention = ({ settings }: HostingServices, now: number) => now - settings.eventRetentionDays * DAY_MS;

/** What is purged, in the order of the contract (details of Document 3, 3.6); events of the platform too. */
export const purgeExpiredData = purgeJob<HostingServices>([
  agedRows({ name: "events", table: "event_log", column: "created_at", cut: retention }),
  finishedWebhooks(retention),
  finishedEmailPosts(retention),
  oldJobRuns,
  endedSecrets,
  quietHosts,
]);
