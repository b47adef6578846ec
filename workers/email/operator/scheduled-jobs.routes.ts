import { emailErrors } from "../../../schemas/email/errors";
import { authorizeStaff, staffRefusals } from "../../kit/auth/staff";
import { mountScheduledJobs } from "../../kit/jobs/mount";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/delivery-of-run";
import type { EmailService } from "../http";
import { jobs } from "../jobs";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: EmailService): void {
  mountScheduledJobs(service, jobs, {
    errors: emailErrors,
    authorize: authorizeStaff,
    refusalsOf: staffRefusals,
    deliveries: deliveriesOfRun,
  });
}
