import { emailErrors } from "../../../schemas/email/errors";
import { readRunDeliveries } from "../../kit/actions/run-deliveries";
import { requireAdmin } from "../../kit/auth/caller";
import { requireStaff } from "../../kit/auth/role";
import { mountScheduledJobs } from "../../kit/jobs/routes";
import type { EmailService } from "../http";
import { jobs } from "../jobs/jobs";

/** Mounts the staff API of scheduled jobs (email details 13, details of Document 3, 3.8). */
export function mountJobs(service: EmailService): void {
  mountScheduledJobs(service, jobs, {
    errors: emailErrors,
    refusals: ["unauthorized"],
    authorize: async (c) => requireStaff(await requireAdmin(c.req.raw, c.get("services"))),
    deliveries: ({ db }, runId) => readRunDeliveries(db, runId),
  });
}
