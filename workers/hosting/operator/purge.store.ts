import { event_log } from "../../../db/hosting/schema";
import { agedRows, oldJobRuns, type PurgeTarget } from "../../kit/jobs/purge.store";
import { DAY_MS } from "../../kit/time";
import { endedSecrets, finishedEmailPosts, finishedWebhooks, quietHosts } from "../../kit/webhooks/purge.store";

type Services = { settings: { eventRetentionDays: number } };

const retention = ({ settings }: Services, now: number) => now - settings.eventRetentionDays * DAY_MS;

/** What is purged, in the order in which it is reported; events of the platform too. */
export const expiredRows: PurgeTarget<Services>[] = [
  agedRows({ name: "events", table: event_log, column: event_log.created_at, cut: retention }),
  finishedWebhooks(retention),
  finishedEmailPosts(retention),
  oldJobRuns,
  endedSecrets,
  quietHosts,
];
