import type { JobSet } from "../kit/jobs/job";
import { retryWebhooksJob } from "../kit/webhooks/consumers/retry.job";
import { purgeExpiredData } from "./operator/purge.job";
import type { StorageServices } from "./services";
import { sweepStorage } from "./sweep/sweep.job";

/** The scheduled jobs of storage, in the order in which the staff API lists them. */
export const jobs: JobSet<StorageServices> = {
  service: "storage",
  jobs: [retryWebhooksJob(), purgeExpiredData, sweepStorage],
};
