import { purgeJob } from "../../kit/jobs/purge.job";
import type { EmailServices } from "../services";
import { expiredRows } from "./purge.store";

/** The job `purge_expired_data` of email. */
export const purgeExpiredData = purgeJob<EmailServices>(expiredRows);
