import type { JobSet } from "../kit/jobs/job";
import { readOperationsReport } from "../kit/overview/operations-report";
import { retryWebhooksJob } from "../kit/webhooks/consumers/retry.job";
import { sweepEmailQueue } from "./operations/jobs/sweep.job";
import { purgeExpiredData } from "./operations/operator/purge.job";
import { emailOverview } from "./operations/overview/overview";
import { watchJob } from "./operations/watch/watch.job";
import type { EmailServices } from "./services";

const watch = watchJob((services) => readOperationsReport(services, { ...emailOverview, jobs }));

/** The scheduled jobs of the email service. The staff API lists them in this order. */
export const jobs: JobSet<EmailServices> = {
  service: "email",
  jobs: [retryWebhooksJob<EmailServices>(), sweepEmailQueue, watch, purgeExpiredData],
};
