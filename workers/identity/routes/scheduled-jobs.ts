import { identityErrors } from "../../../schemas/identity/errors";
import { readRunDeliveries } from "../../kit/actions/run-deliveries";
import { mountScheduledJobs } from "../../kit/jobs/routes";
import { Problem } from "../../kit/problem";
import type { IdentityService } from "../http";
import { jobs } from "../jobs/jobs";
import { requireCaller } from "../rules/caller";

/** Mounts the staff API of scheduled jobs (identity details 11, details of Document 3, 3.8). */
export function mountJobs(service: IdentityService): void {
  mountScheduledJobs(service, jobs, {
    errors: identityErrors,
    refusals: ["unauthorized", "token_invalid", "access_pending", "access_denied"],
    authorize: async (c) => {
      const { isStaff } = await requireCaller(c.get("services"), c.req.raw);
      if (!isStaff) throw new Problem("forbidden");
    },
    deliveries: ({ db }, runId) => readRunDeliveries(db, runId),
  });
}
