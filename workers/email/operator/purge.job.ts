import { purgeJob } from "../../kit/jobs/purge/purge.job";
import type { EmailServices } from "../services";
import { expiredRows } from "./purge.store";

/** Deletes what has outlived its retention. */
export const purgeExpiredData = purgeJob<EmailServices>(expiredRows);
