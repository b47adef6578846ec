import type { JobSet } from "../kit/jobs/job";
import { purgeExpiredData } from "./operator/purge.job";
import { retryWebhooks } from "./operator/retry.job";
import type { HostingServices } from "./services";

/** The scheduled jobs of hosting, in the order of the staff API. */
export const jobs: JobSet<HostingServices> = { service: "hosting", jobs: [retryWebhooks, purgeExpiredData] };
