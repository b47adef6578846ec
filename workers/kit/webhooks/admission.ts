import { type AdminScopes, adminRefusals, authorizeAdmin } from "../auth/authorize";
import type { AdminCaller, CallerServices } from "../auth/caller";
import type { Db, DbOf } from "../db/db";
import type { Authorize, CallNeeds } from "../http/call";
import type { WebhookCaller, WebhookScope, WebhookScopes } from "./api";

/**
 * How a sibling of identity admits calls about webhooks. Envelopes name the company by its id; `retentionDays` is how long
 * its events are kept; `audit` makes the entries of what an administrator does, where the service keeps them.
 */
export function admitOwners<S extends CallerServices & { db: Db; dbOf: DbOf }>(
  retentionDays: (services: S) => number,
  audit: (services: S, caller: AdminCaller) => Pick<WebhookScope, "auditEntry" | "auditUse"> = () => ({}),
): { authorize: Authorize<S, WebhookScopes, WebhookCaller>; refusalsOf: (needs: CallNeeds<"owner">) => string[] } {
  return {
    authorize: async (services, request, asked) => {
      const { caller, scope: id, results } = await authorizeAdmin(services, request, asked);
      const { userId, isStaff } = caller;
      return {
        caller: { userId, isStaff },
        scope: { company: { id }, retentionDays: retentionDays(services), ...audit(services, caller) },
        results,
      };
    },
    refusalsOf: (needs: CallNeeds<keyof AdminScopes>) => adminRefusals(needs),
  };
}
