import { purgeJob } from "../../kit/jobs/purge.job";
import type { HostingServices } from "../services";
import { expiredRows } from "./purge.store";

/** The job `purge_expired_data` of hosting. */
export const purgeExpiredData = purgeJob<HostingServices>(expiredRows);
