import { retryWebhooksJob } from "../../kit/actions/job";
import type { JobSet } from "../../kit/jobs/types";
import type { IdentityServices } from "../services";
import { purgeExpiredData } from "./purge";
import { retryMailJob } from "./retry-mail";

/** The scheduled jobs of identity (details 13), in the order of the staff API. */
export const jobs: JobSet<IdentityServices> = {
  service: "identity",
  jobs: [retryMailJob, retryWebhooksJob(), purgeExpiredData],
};
