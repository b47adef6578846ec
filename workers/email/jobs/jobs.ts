import { retryWebhooksJob } from "../../kit/actions/job";
import type { JobSet } from "../../kit/jobs/types";
import type { EmailServices } from "../services";
import { purgeExpiredData } from "./purge";
import { sweepEmailQueue } from "./sweep";

/** The scheduled jobs of the email service (email details 13), in the order of the staff API. */
export const jobs: JobSet<EmailServices> = {
  service: "email",
  jobs: [retryWebhooksJob<EmailServices>(), sweepEmailQueue, purgeExpiredData],
};
