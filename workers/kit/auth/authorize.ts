import { type Databases, dbOfScope } from "../db/db";
import { readList } from "../http/bookmark";
import type { Admitted, AuthorizationInput, CallNeeds, Reads } from "../http/call";
import type { RequestedCompany } from "../http/request/company-scope";
import { type AdminCaller, type CallerServices, requireAdmin } from "./caller";
import { requireOwner, requireRowScope, requireStaffScope } from "./role";

/**
 * The scope of a call, by the role that it requires. `owner`: the company, which the caller owns unless the caller is
 * staff. `row`: the company that the row in the path must belong to, or null for staff who name no company. `staff`:
 * the company to filter by, or null.
 */
export type AdminScopes = { owner: number; row: number | null; staff: number | null };

const scopeOf = {
  owner: requireOwner,
  row: requireRowScope,
  staff: requireStaffScope,
} satisfies Record<keyof AdminScopes, (caller: AdminCaller, requestedCompany: RequestedCompany) => number | null>;

/**
 * Authorizes a user's call to a service other than identity by token, company and role. The call's reads run in one
 * round trip.
 */
export async function authorizeAdmin<K extends keyof AdminScopes, R extends Reads>(
  services: CallerServices & Databases,
  request: Request,
  { role, requestedCompany, reads, isList }: AuthorizationInput<K, R>,
): Promise<Admitted<AdminCaller, AdminScopes[K], R>> {
  const caller = await requireAdmin(request, services);
  const scope = scopeOf[role](caller, requestedCompany) as AdminScopes[K];
  const statements = reads({ userId: caller.userId, companyId: scope }) ?? ({} as R);
  const db = dbOfScope(services, scope);
  return { caller, scope, results: await (isList ? readList(db, request, statements) : db.batch(statements)) };
}

/** Returns the error codes that the authorization of a call may cause. */
export function adminErrorCodes({ isMutation, hasInput, hasRow, hasBody }: CallNeeds<keyof AdminScopes>): string[] {
  return [
    "unauthorized",
    "forbidden",
    "service_unavailable",
    ...(hasInput ? ["validation_failed", "company_mismatch"] : []),
    ...(hasRow ? ["not_found"] : []),
    ...(isMutation ? ["pat_read_only", "rate_limited"] : []),
    ...(hasBody ? ["payload_too_large", "unsupported_media_type"] : []),
  ];
}
