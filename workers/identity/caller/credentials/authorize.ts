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
 * What a call of each role is about: `self` nobody but the caller, in the company of their token; `member`, `owner` and
 * `staff` the company that the query, then the body, then the token names. Staff may do what an owner may, in any company.
 */
export type CallerScopes = { self: number; member: CompanyRow; owner: CompanyRow; staff: CompanyRow };

type CompanyRole = Exclude<keyof CallerScopes, "self">;

// No name of a call's own reads.
const COMPANY = "caller.company";

/**
 * Admits a call: credential, company, role, then 404 for a company that staff name and that is not there. Credential,
 * company and the call's own reads are one round trip; the reads of a company's list are another at the same time, which
 * a replica may answer.
 */
export async function authorizeCaller<K extends keyof CallerScopes, R extends Reads>(
  services: IdentityServices,
  request: Request,
  asked: AuthorizationInput<K, R>,
): Promise<Admitted<Caller, CallerScopes[K], R>> {
  const { role, reads } = asked;
  if (role !== "self") return admitToCompany(services, request, { ...asked, role: role as CompanyRole }) as never;
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
  // Whether the caller may name another company than their own is known only with the live row: read now, judge below.
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
  const { [COMPANY]: found, ...own } = results as { [COMPANY]?: { first: CompanyRow | null } };
  if (!found?.first) throw new Problem("not_found");
  return { caller, scope: found.first, results: own as BatchResults<R> };
}

function requireRole(caller: Caller, companyId: number, role: CompanyRole): void {
  const isAdmitted =
    caller.isStaff || role === "member" || (role === "owner" && caller.isOwner && caller.companyId === companyId);
  if (!isAdmitted) throw new Problem("forbidden");
}

/** The codes by which such a call can be refused; what is wrong with an id of a path is that there is no such row. */
export function callerRefusals({ role, isMutation, hasQuery, hasRow, hasBody }: CallNeeds<keyof CallerScopes>) {
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
