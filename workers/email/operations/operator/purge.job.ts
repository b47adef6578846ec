import type { Job } from "../../../kit/jobs/job";
import { purgeJob } from "../../../kit/jobs/purge/purge.job";
import { refreshHealth } from "../../delivery/sender-domains/domain-health";
import type { EmailServices } from "../../services";
import { expiredRows } from "./purge.store";

const purge = purgeJob<EmailServices>(expiredRows);

/** Deletes rows after their retention. When no expired rows are left, it refreshes the DNS checks of sending domains. */
export const purgeExpiredData: Job<EmailServices> = {
  ...purge,
  run: async (services, run, flags) => {
    const counts = await purge.run(services, run, flags);
    if (counts.complete) await refreshHealth(services, run.stopAt);
    return counts;
  },
};
