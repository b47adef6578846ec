import type { AdminCaller } from "../../kit/auth/caller";
import { createMemberAuthorization, memberErrorCodes } from "../../kit/auth/member-authorization";
import { isOwnerOf, requireOwner, requireStaff } from "../../kit/auth/role";
import type { CallNeeds } from "../../kit/http/call";
import { companyScope, noRequestedCompany } from "../../kit/http/request/company-scope";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/**
 * The company id that a route receives, by role. `member` and `owner`: the token's company (`owner` requires an owner or
 * staff). `quota`: the company in the path, for its owners and staff. `staff`: none.
 */
export type StorageScopes = { member: number; owner: number; quota: number; staff: null };

/** Authorizes a user's request: checks token, company and role, then runs the reads in one round trip. */
export const authorizeStorage = createMemberAuthorization<StorageScopes, StorageServices>({
  owner: (caller) => requireOwner(caller, noRequestedCompany),
  quota: requireQuotaScope,
  staff: (caller) => {
    requireStaff(caller);
    return null;
  },
});

/**
 * Returns the company id in a quota path. Throws 400 `company_id: [invalid]`, 403 `forbidden` for a member, and
 * `company_mismatch` for an owner of another company.
 */
function requireQuotaScope(caller: AdminCaller, request: Request): number {
  const [, text] = /\/quota\/company\/([^/]*)/.exec(new URL(request.url).pathname) ?? [];
  const companyId = companyScope({ query: text ?? "" });
  if (isOwnerOf(caller, companyId)) return companyId;
  throw new Problem(caller.isOwner ? "company_mismatch" : "forbidden");
}

/** Returns the codes of the errors that the authorization of a request with `needs` can throw. */
export const storageRefusals = (needs: CallNeeds<keyof StorageScopes>): string[] => memberErrorCodes(needs, ["quota"]);
