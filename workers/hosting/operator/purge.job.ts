import { purgeJob } from "../../kit/jobs/purge/purge.job";
import type { HostingServices } from "../services";
import { expiredRows } from "./purge.store";

/** Deletes rows that are past their retention. */
export const purgeExpiredData = purgeJob<HostingServices>(expiredRows);
