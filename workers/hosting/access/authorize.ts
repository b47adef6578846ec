import { createMemberAuthorization, memberErrorCodes } from "../../kit/auth/member-authorization";
import { requireOwner, requireStaff } from "../../kit/auth/role";
import type { CallNeeds } from "../../kit/http/call";
import type { HostingServices } from "../services";

/**
 * The company id that a route receives, by role. `member`: the token's company. `owner`: the company of the query, else the
 * token's, for its owners and staff. `staff`: none.
 */
export type HostingScopes = { member: number; owner: number; staff: null };

/** Authorizes a user's request: checks token, company and role, then runs the reads in one round trip. */
export const authorizeHosting = createMemberAuthorization<HostingScopes, HostingServices>({
  owner: (caller, _request, requestedCompany) => requireOwner(caller, requestedCompany),
  staff: (caller) => {
    requireStaff(caller);
    return null;
  },
});

/** Returns the codes of the errors that the authorization of a request with `needs` can throw. */
export const hostingRefusals = (needs: CallNeeds<keyof HostingScopes>): string[] => memberErrorCodes(needs, ["owner"]);
