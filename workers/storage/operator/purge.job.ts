import { purgeJob } from "../../kit/jobs/purge/purge.job";
import type { StorageServices } from "../services";
import { expiredRows } from "./purge.store";

/** Deletes what has outlived its retention. */
export const purgeExpiredData = purgeJob<StorageServices>(expiredRows);
