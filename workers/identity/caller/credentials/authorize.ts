import type { CompanyRow } from "../../../../db/identity/schema";
import type { BatchResults } from "../../../kit/db/db";
import { readList } from "../../../kit/http/bookmark";
import type { Admitted, AuthorizationInput, CallNeeds, Reads } from "../../../kit/http/call";
import { requireCompany } from "../../../kit/http/request/company-scope";
import { selectCompany } from "../../company/company/company";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { authenticate, type Caller, credentialOf } from "./caller";
import type { AccessClaims } from "./token";

/**
 * The scope of a request by role. `self`: the company id of the caller's token. `member`, `owner` and `staff`: the company
 * that the query names, else the body, else the token. Staff have the rights of an owner in every company.
 */
export type CallerScopes = { self: number; member: CompanyRow; owner: CompanyRow; staff: CompanyRow };

type CompanyRole = Exclude<keyof CallerScopes, "self">;

// Batch key of the company statement. No operation uses it for its own statements.
const COMPANY = "caller.company";

/**
 * Authorizes a request. Checks first the credential, then the company, then the role. After these checks it throws 404 when
 * staff name an unknown company. The credential, the company and the operation's statements are read in one round trip. The
 * statements of a list run in a second, parallel round trip that a replica may serve.
 */
export async function authorizeCaller<K extends keyof CallerScopes, R extends Reads>(
  services: IdentityServices,
  request: Request,
  authorization: AuthorizationInput<K, R>,
): Promise<Admitted<Caller, CallerScopes[K], R>> {
  const { role, reads } = authorization;
  if (role !== "self")
    return admitToCompany(services, request, { ...authorization, role: role as CompanyRole }) as never;
  const { caller, results } = await authenticate(services, credentialOf(request), ({ sub, company_id }) => {
    return reads({ userId: Number(sub), companyId: company_id }) ?? ({} as R);
  });
  return { caller, scope: caller.companyId as CallerScopes[K], results };
}

async function admitToCompany<R extends Reads>(
  services: IdentityServices,
  request: Request,
  { role, requestedCompany, reads, isList }: AuthorizationInput<CompanyRole, R>,
): Promise<Admitted<Caller, CompanyRow, R>> {
  // Only the live user row says whether the caller is staff and may name another company. So the batch reads the requested
  // company first, and the check follows below.
  const company = ({ company_id }: AccessClaims): Reads =>
    requestedCompany.ok ? { [COMPANY]: selectCompany(requestedCompany.value ?? company_id) } : {};
  const rows = ({ sub, company_id }: AccessClaims): Reads =>
    (requestedCompany.ok ? reads({ userId: Number(sub), companyId: requestedCompany.value ?? company_id }) : null) ??
    {};
  const presented = credentialOf(request);
  const { caller, results } = isList
    ? await authenticate(services, presented, company, (claims) => readList(services.db, request, rows(claims)))
    : await authenticate(services, presented, (claims) => ({ ...company(claims), ...rows(claims) }));
  const companyId = requireCompany(requestedCompany, { token: caller.companyId, isStaff: caller.isStaff });
  requireRole(caller, companyId, role);
  const { [COMPANY]: companyResult, ...callResults } = results as { [COMPANY]?: { first: CompanyRow | null } };
  if (!companyResult?.first) throw new Problem("not_found");
  return { caller, scope: companyResult.first, results: callResults as BatchResults<R> };
}

function requireRole(caller: Caller, companyId: number, role: CompanyRole): void {
  const isAdmitted =
    caller.isStaff || role === "member" || (role === "owner" && caller.isOwner && caller.companyId === companyId);
  if (!isAdmitted) throw new Problem("forbidden");
}

/**
 * Returns the error codes that an operation with these needs can return, for its documentation. A malformed id in the path
 * returns 404, as an unknown id does.
 */
export function callerErrorCodes({ role, isMutation, hasQuery, hasRow, hasBody }: CallNeeds<keyof CallerScopes>) {
  const hasCompany = role !== "self";
  return [
    "unauthorized",
    "token_invalid",
    "access_pending",
    "access_denied",
    "service_unavailable",
    ...(hasCompany ? ["company_mismatch", "not_found"] : []),
    ...(hasCompany && role !== "member" ? ["forbidden"] : []),
    ...(hasQuery || hasBody ? ["validation_failed"] : []),
    ...(hasRow ? ["not_found"] : []),
    ...(isMutation ? ["pat_read_only"] : []),
    ...(hasBody ? ["payload_too_large", "unsupported_media_type"] : []),
  ];
}
