import { webhookAudit } from "../../audit/webhook-audit";
import { type AdminScopes, adminErrorCodes, authorizeAdmin } from "../../auth/authorize";
import type { CallerServices } from "../../auth/caller";
import type { Clock } from "../../clock";
import type { Databases } from "../../db/db";
import type { Authorize, CallNeeds } from "../../http/call";
import type { WebhookCaller, WebhookScopes } from "../api";

/**
 * Returns the authorization of webhook calls for a service other than identity, which writes audit entries for
 * administrators' actions. `retentionDays` returns how long a company's events are stored. The company in scope has
 * only an id.
 */
export function admitOwners<S extends CallerServices & Databases & { clock: Clock }>(
  retentionDays: (services: S) => number,
): {
  authorize: Authorize<S, WebhookScopes, WebhookCaller>;
  impliedErrorCodes: (needs: CallNeeds<"owner">) => string[];
} {
  return {
    authorize: async (services, request, input) => {
      const { caller, scope: id, results } = await authorizeAdmin(services, request, input);
      const { userId, isStaff } = caller;
      return {
        caller: { userId, isStaff },
        scope: {
          company: { id },
          retentionDays: retentionDays(services),
          ...webhookAudit(services, caller),
        },
        results,
      };
    },
    impliedErrorCodes: (needs: CallNeeds<keyof AdminScopes>) => adminErrorCodes(needs),
  };
}
