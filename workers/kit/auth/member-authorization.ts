import { type Databases, dbOfScope } from "../db/db";
import { readList } from "../http/bookmark";
import type { Admitted, AuthorizationInput, Authorize, CallNeeds, Reads } from "../http/call";
import type { RequestedCompany } from "../http/request/company-scope";
import { adminErrorCodes } from "./authorize";
import { type AdminCaller, authorizeMember, type CallerServices, requireAdmin, withLiveCheck } from "./caller";

/** The scope of a call that every member of a company may make: the token's company. */
type MemberScope = { member: number };

/** Returns the scope of a call that needs a role beyond membership; throws 400 or 403. */
type ScopeOf<Scope> = (caller: AdminCaller, request: Request, requestedCompany: RequestedCompany) => Scope;

/**
 * Returns the authorizer of a service with calls for members. It checks token, company and role, then runs the reads in one
 * round trip. `scopes` has a function for every other role.
 */
export function createMemberAuthorization<Scopes extends MemberScope, S extends CallerServices & Databases>(
  scopes: {
    [K in Exclude<keyof Scopes & string, "member">]: ScopeOf<Scopes[K] & (number | null)>;
  },
): Authorize<S, Scopes, AdminCaller> {
  return async function authorize<K extends keyof Scopes & string, R extends Reads>(
    services: S,
    request: Request,
    { role, requestedCompany, reads, isList }: AuthorizationInput<K, R>,
  ): Promise<Admitted<AdminCaller, Scopes[K], R>> {
    const { caller, scope, live } = await authorizeCaller(services, request, role, requestedCompany);
    const statements = reads({ userId: caller.userId, companyId: scope }) ?? ({} as R);
    const db = dbOfScope(services, scope);
    const results = await withLiveCheck({ live }, isList ? readList(db, request, statements) : db.batch(statements));
    return { caller: await live, scope: scope as Scopes[K], results };
  };

  async function authorizeCaller(
    services: S,
    request: Request,
    role: keyof Scopes & string,
    requestedCompany: RequestedCompany,
  ): Promise<{ caller: AdminCaller; scope: number | null; live: Promise<AdminCaller> }> {
    if (role === "member") {
      const { caller, live } = await authorizeMember(request, services);
      return { caller, scope: caller.companyId, live };
    }
    const caller = await requireAdmin(request, services);
    const scopeOf: ScopeOf<number | null> = scopes[role as Exclude<keyof Scopes & string, "member">];
    return { caller, scope: scopeOf(caller, request, requestedCompany), live: Promise.resolve(caller) };
  }
}

/**
 * Returns the codes of the errors that the authorization of a call can throw. `naming` are the roles whose calls may name a
 * company.
 */
export function memberErrorCodes<Role extends string>(needs: CallNeeds<Role>, naming: readonly Role[]): string[] {
  return adminErrorCodes({ ...needs, role: needs.role === "staff" ? "staff" : "owner" }).filter(
    (code) => code !== "company_mismatch" || naming.includes(needs.role),
  );
}
