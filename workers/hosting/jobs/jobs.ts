import { retryWebhooksJob } from "../../kit/actions/job";
import type { JobSet } from "../../kit/jobs/types";
import type { HostingServices } from "../services";
import { purgeExpiredData } from "./purge";

/** The scheduled jobs of hosting (Document 3), in the order of the staff API. */
export const jobs: JobSet<HostingServices> = { service: "hosting", jobs: [retryWebhooksJob(), purgeExpiredData] };
