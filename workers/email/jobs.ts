import type { JobSet } from "../kit/jobs/job";
import { retryWebhooksJob } from "../kit/webhooks/consumers/retry.job";
import { sweepEmailQueue } from "./operations/jobs/sweep.job";
import { purgeExpiredData } from "./operations/operator/purge.job";
import type { EmailServices } from "./services";

/** The scheduled jobs of the email service. The staff API lists them in this order. */
export const jobs: JobSet<EmailServices> = {
  service: "email",
  jobs: [retryWebhooksJob<EmailServices>(), sweepEmailQueue, purgeExpiredData],
};
