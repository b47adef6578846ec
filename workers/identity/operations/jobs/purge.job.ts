import type { Job } from "../../../kit/jobs/job";
import { purgeJob } from "../../../kit/jobs/purge/purge.job";
import { rollUpLog } from "../../records/metrics/roll-up";
import type { IdentityServices } from "../../services";
import { expiredRows } from "./purge.store";

const purge = purgeJob<IdentityServices>(expiredRows);

/**
 * Rolls up the counts of the event log, then deletes rows past their retention. Deletes nothing while the roll-up is
 * incomplete.
 */
export const purgeExpiredData: Job<IdentityServices> = {
  ...purge,
  run: async (services, run, flags) => {
    if (await rollUpLog(services)) return purge.run(services, run, flags);
    return { ...Object.fromEntries(purge.counts.map((name) => [name, 0])), complete: false };
  },
};
