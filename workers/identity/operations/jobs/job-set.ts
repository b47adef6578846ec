import type { JobSet } from "../../../kit/jobs/job";
import { retryWebhooksJob } from "../../../kit/webhooks/consumers/retry.job";
import { retryMailJob } from "../../mail/outbox/mail.job";
import type { IdentityServices } from "../../services";
import { purgeExpiredData } from "./purge.job";

/** The scheduled jobs of identity, in the order in which the staff API lists them. */
export const jobs: JobSet<IdentityServices> = {
  service: "identity",
  jobs: [retryMailJob, retryWebhooksJob(), purgeExpiredData],
};
