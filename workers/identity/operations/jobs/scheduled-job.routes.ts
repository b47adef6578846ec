import { identityErrors } from "../../../../schemas/identity/errors";
import { staffErrorCodes } from "../../../kit/auth/staff";
import type { Admitted, AuthorizationInput, Reads } from "../../../kit/http/call";
import { noRequestedCompany } from "../../../kit/http/request/company-scope";
import { mountScheduledJobs } from "../../../kit/jobs/api/mount";
import { deliveriesOfRun } from "../../../kit/webhooks/deliveries/delivery-of-run";
import { authorizeCaller } from "../../caller/credentials/authorize";
import type { Caller } from "../../caller/credentials/caller";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { jobs } from "./job-set";

/** Mounts the staff API of scheduled jobs. */
export function mountJobs(service: IdentityService): void {
  mountScheduledJobs(service, jobs, {
    errors: identityErrors,
    authorize: authorizeStaff,
    impliedErrorCodes: (needs) => [...staffErrorCodes(needs), "token_invalid", "access_pending", "access_denied"],
    deliveries: deliveriesOfRun,
  });
}

/** Authorizes staff and ignores any company that the request names. */
async function authorizeStaff<R extends Reads>(
  services: IdentityServices,
  request: Request,
  { reads }: AuthorizationInput<"staff", R>,
): Promise<Admitted<Caller, null, R>> {
  const { caller, results } = await authorizeCaller(services, request, {
    role: "self",
    requestedCompany: noRequestedCompany,
    reads,
  });
  if (!caller.isStaff) throw new Problem("forbidden");
  return { caller, scope: null, results };
}
