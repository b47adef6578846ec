import { purgeJob } from "../../kit/jobs/purge/purge.job";
import type { StorageServices } from "../services";
import { expiredRows } from "./purge.store";

/** Deletes rows whose retention has ended. */
export const purgeExpiredData = purgeJob<StorageServices>(expiredRows);
