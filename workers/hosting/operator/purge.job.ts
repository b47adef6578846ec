import type { Job } from "../../kit/jobs/job";
import { purgeJob } from "../../kit/jobs/purge/purge.job";
import { requestDueCleanUps } from "../clean-up/clean-up";
import type { HostingServices } from "../services";
import { expiredRows } from "./purge.store";

const job = purgeJob<HostingServices>(expiredRows);

/** Deletes rows that are past their retention. Then requests the clean-ups of files that are due, which are not in its counts. */
export const purgeExpiredData: Job<HostingServices> = {
  ...job,
  run: async (services, run, flags) => {
    const counts = await job.run(services, run, flags);
    await requestDueCleanUps(services);
    return counts;
  },
};
