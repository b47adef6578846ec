import { purgeJob } from "../../kit/jobs/purge.job";
import { expiredRows } from "./purge.store";

/** The job `purge_expired_data` of email. */
export const purgeExpiredData = purgeJob(expiredRows);
