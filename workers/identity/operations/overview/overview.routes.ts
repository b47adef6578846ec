import { identityErrors } from "../../../../schemas/identity/errors";
import type { Admitted, AuthorizationInput, Reads } from "../../../kit/http/call";
import { isForAllCompanies, mountOverview, type OverviewScopes } from "../../../kit/overview/overview.routes";
import { authorizeCaller, callerErrorCodes } from "../../caller/credentials/authorize";
import type { Caller } from "../../caller/credentials/caller";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { identityOverview } from "./overview";

/** Mounts the counts that need attention. */
export function mountIdentityOverview(service: IdentityService): void {
  mountOverview(service, {
    errors: identityErrors,
    authorize,
    impliedErrorCodes: callerErrorCodes,
    source: identityOverview,
  });
}

/** Authorizes owners and staff for one company, or staff for all companies. */
async function authorize<R extends Reads>(
  services: IdentityServices,
  request: Request,
  { requestedCompany, reads }: AuthorizationInput<"owner", R>,
): Promise<Admitted<Caller, OverviewScopes["owner"], R>> {
  if (!isForAllCompanies(request)) {
    const { scope, ...admitted } = await authorizeCaller(services, request, { role: "owner", requestedCompany, reads });
    return { ...admitted, scope: scope.id };
  }
  const { caller, results } = await authorizeCaller(services, request, {
    role: "self",
    requestedCompany,
    reads: ({ userId }) => reads({ userId, companyId: null }),
  });
  if (!caller.isStaff) throw new Problem("forbidden");
  return { caller, scope: null, results };
}
