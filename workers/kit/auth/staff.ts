import type { Databases } from "../db/db";
import type { Admitted, AuthorizationInput, CallNeeds, Reads } from "../http/call";
import { type AdminCaller, requireAdmin } from "./caller";
import { requireStaff } from "./role";

/**
 * Authorizes staff for calls about any company, then runs the call's reads in one round trip. Throws 401, 403 or 503.
 */
export async function authorizeStaff<R extends Reads>(
  services: Parameters<typeof requireAdmin>[1] & Pick<Databases, "platformDb">,
  request: Request,
  { reads }: AuthorizationInput<"staff", R>,
): Promise<Admitted<AdminCaller, null, R>> {
  const caller = await requireAdmin(request, services);
  requireStaff(caller);
  const statements = reads({ userId: caller.userId, companyId: null }) ?? ({} as R);
  return { caller, scope: null, results: await services.platformDb.batch(statements) };
}

/** Returns the error codes that the authorization of a call may cause. */
export function staffErrorCodes({ hasRow }: CallNeeds<"staff">): string[] {
  return ["unauthorized", "forbidden", "service_unavailable", ...(hasRow ? ["not_found"] : [])];
}
