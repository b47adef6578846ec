import { hostingErrors } from "../../../schemas/hosting/errors";
import { admitStaff } from "../../kit/auth/staff";
import { mountScheduledJobs } from "../../kit/jobs/job.routes";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/deliveries-of-run.store";
import type { HostingContext, HostingService } from "../http";
import { jobs } from "../jobs";

/** Mounts the staff API of scheduled jobs (details of Document 3, 3.8). */
export function mountJobs(service: HostingService): void {
  mountScheduledJobs(service, jobs, {
    errors: hostingErrors,
    refusals: ["unauthorized"],
    admit: <T extends unknown[]>(c: HostingContext, reads: D1PreparedStatement[]) =>
      admitStaff<T>(c.req.raw, c.get("services"), reads),
    deliveries: deliveriesOfRun,
  });
}
