import { event_log } from "../../../db/hosting/schema";
import { oldJobRuns, type PurgeTarget } from "../../kit/jobs/purge/purge.store";
import { DAY_MS } from "../../kit/time";
import {
  endedSecrets,
  finishedEmailPosts,
  finishedWebhooks,
  oldEvents,
  quietHosts,
} from "../../kit/webhooks/purge.store";

type Services = { settings: { eventRetentionDays: number } };

const retention = ({ settings }: Services, now: number) => now - settings.eventRetentionDays * DAY_MS;

/** What is purged, in the order in which it is reported; events of the platform too. */
export const expiredRows: PurgeTarget<Services>[] = [
  oldEvents(event_log, ({ settings }) => settings.eventRetentionDays * DAY_MS),
  finishedWebhooks(retention),
  finishedEmailPosts(retention),
  oldJobRuns,
  endedSecrets,
  quietHosts,
];
