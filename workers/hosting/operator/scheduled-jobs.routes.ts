import { hostingErrors } from "../../../schemas/hosting/errors";
import { authorizeStaff, staffRefusals } from "../../kit/auth/staff";
import { mountScheduledJobs } from "../../kit/jobs/mount";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/delivery-of-run";
import type { HostingService } from "../http";
import { jobs } from "../jobs";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: HostingService): void {
  mountScheduledJobs(service, jobs, {
    errors: hostingErrors,
    authorize: authorizeStaff,
    refusalsOf: staffRefusals,
    deliveries: deliveriesOfRun,
  });
}
