import { emailErrors } from "../../../schemas/email/errors";
import { admitStaff } from "../../kit/auth/staff";
import { mountScheduledJobs } from "../../kit/jobs/job.routes";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/deliveries-of-run.store";
import type { EmailContext, EmailService } from "../http";
import { jobs } from "../jobs";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: EmailService): void {
  mountScheduledJobs(service, jobs, {
    errors: emailErrors,
    refusals: ["unauthorized"],
    admit: <T extends unknown[]>(c: EmailContext, reads: D1PreparedStatement[]) =>
      admitStaff<T>(c.req.raw, c.get("services"), reads),
    deliveries: deliveriesOfRun,
  });
}
