import { type CallerServices, requireAdmin } from "../auth/caller";
import { requireOwner } from "../auth/role";
import type { Db } from "../db";
import type { Admission, Admit } from "./api";

/**
 * How a sibling of identity admits a call of Actions: staff and owners by their token, the company by query, body or
 * token, then the call's own reads in one round trip (details of Document 3, section 2). Envelopes name the company by its
 * id; `retentionDays` is how long its events are kept.
 */
export function admitOwners<S extends CallerServices & { db: Db }>(retentionDays: (services: S) => number): Admit<S> {
  return async <T extends unknown[]>(
    services: S,
    request: Request,
    { body, reads }: Parameters<Admit<S>>[2] = {},
  ): Promise<Admission<T>> => {
    const caller = await requireAdmin(request, services);
    const query = new URL(request.url).searchParams.get("company_id") ?? undefined;
    const companyId = requireOwner(caller, { query, body: body?.companyId });
    const statements = reads?.(companyId) ?? [];
    const results = statements.length === 0 ? [] : await services.db.batch<unknown[]>(statements);
    return {
      caller: { userId: caller.userId, isStaff: caller.isStaff },
      company: { id: companyId },
      retentionDays: retentionDays(services),
      results: results as Admission<T>["results"],
    };
  };
}
