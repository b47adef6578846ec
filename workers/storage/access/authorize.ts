import { adminErrorCodes } from "../../kit/auth/authorize";
import { type AdminCaller, authorizeMember, requireAdmin, withLiveCheck } from "../../kit/auth/caller";
import { isOwnerOf, requireOwner, requireStaff } from "../../kit/auth/role";
import { dbOfScope } from "../../kit/db/db";
import { readList } from "../../kit/http/bookmark";
import type { Admitted, AuthorizationInput, CallNeeds, Reads } from "../../kit/http/call";
import { companyScope, noRequestedCompany } from "../../kit/http/request/company-scope";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/**
 * The company id that a route receives, by role. `member` and `owner`: the token's company (`owner` requires an owner or
 * staff). `quota`: the company in the path, for its owners and staff. `staff`: none.
 */
export type StorageScopes = { member: number; owner: number; quota: number; staff: null };

/** Authorizes a user's request: checks token, company and role, then runs the reads in one round trip. */
export async function authorizeStorage<K extends keyof StorageScopes, R extends Reads>(
  services: StorageServices,
  request: Request,
  { role, reads, isList }: AuthorizationInput<K, R>,
): Promise<Admitted<AdminCaller, StorageScopes[K], R>> {
  const { caller, scope, live } = await authorizeCaller(services, request, role);
  const statements = reads({ userId: caller.userId, companyId: scope }) ?? ({} as R);
  const db = dbOfScope(services, scope);
  const results = await withLiveCheck({ live }, isList ? readList(db, request, statements) : db.batch(statements));
  return { caller: await live, scope: scope as StorageScopes[K], results };
}

async function authorizeCaller(
  services: StorageServices,
  request: Request,
  role: keyof StorageScopes,
): Promise<{ caller: AdminCaller; scope: number | null; live: Promise<AdminCaller> }> {
  if (role === "member") {
    const { caller, live } = await authorizeMember(request, services);
    return { caller, scope: caller.companyId, live };
  }
  const caller = await requireAdmin(request, services);
  return { caller, scope: scopeOf(caller, request, role), live: Promise.resolve(caller) };
}

function scopeOf(caller: AdminCaller, request: Request, role: "owner" | "quota" | "staff"): number | null {
  if (role === "owner") return requireOwner(caller, noRequestedCompany);
  if (role === "quota") return requireQuotaScope(caller, request);
  requireStaff(caller);
  return null;
}

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
export function storageRefusals(needs: CallNeeds<keyof StorageScopes>): string[] {
  return adminErrorCodes({ ...needs, role: needs.role === "staff" ? "staff" : "owner" }).filter(
    (code) => code !== "company_mismatch" || needs.role === "quota",
  );
}
