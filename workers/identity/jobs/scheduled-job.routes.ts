import { identityErrors } from "../../../schemas/identity/errors";
import { staffRefusals } from "../../kit/auth/staff";
import type { BatchItem } from "../../kit/db/db";
import { asList } from "../../kit/db/legacy";
import type { Admitted, Asked } from "../../kit/http/call";
import { mountScheduledJobs } from "../../kit/jobs/job.routes";
import { Problem } from "../../kit/problem";
import { deliveriesOfRun } from "../../kit/webhooks/deliveries/delivery-of-run";
import { requireCallerWith } from "../caller/caller";
import type { IdentityService } from "../http";
import type { IdentityServices } from "../services";
import { jobs } from "./job-set";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: IdentityService): void {
  mountScheduledJobs(service, jobs, {
    errors: identityErrors,
    authorize,
    refusalsOf: (needs) => [...staffRefusals(needs), "token_invalid", "access_pending", "access_denied"],
    deliveries: deliveriesOfRun,
  });
}

async function authorize<R extends Record<string, BatchItem>>(
  services: IdentityServices,
  request: Request,
  { reads }: Asked<"staff", R>,
): Promise<Admitted<unknown, null, R>> {
  const { statements, read } = asList(reads({ userId: 0, companyId: null }) ?? ({} as R));
  const { caller, results } = await requireCallerWith(services, request, () => statements);
  if (!caller.isStaff) throw new Problem("forbidden");
  return { caller, scope: null, results: read(results) };
}
