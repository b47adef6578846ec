import { identityErrors } from "../../../schemas/identity/errors";
import { mountScheduledJobs } from "../../kit/jobs/job.routes";
import { Problem } from "../../kit/problem";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/deliveries-of-run.store";
import { requireCallerWith } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { jobs } from "./job-set";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: IdentityService): void {
  mountScheduledJobs(service, jobs, {
    errors: identityErrors,
    refusals: ["unauthorized", "token_invalid", "access_pending", "access_denied"],
    admit: async <T extends unknown[]>(c: IdentityContext, reads: D1PreparedStatement[]) => {
      const { caller, results } = await requireCallerWith<T>(c.get("services"), c.req.raw, () => reads);
      if (!caller.isStaff) throw new Problem("forbidden");
      return results;
    },
    deliveries: deliveriesOfRun,
  });
}
