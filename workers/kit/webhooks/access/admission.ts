import { webhookAudit } from "../../audit/webhook-audit";
import { type AdminScopes, adminErrorCodes, authorizeAdmin } from "../../auth/authorize";
import type { CallerServices } from "../../auth/caller";
import type { Clock } from "../../clock";
import type { Databases } from "../../db/db";
import type { Authorize, CallNeeds } from "../../http/call";
import type { WebhookCaller, WebhookScopes } from "../api";

/**
 * Returns the function that authorizes webhook calls in a service other than identity, and its error codes.
 * `retentionDays` returns the number of days for which a company's events are stored. The returned scope writes audit
 * entries for administrators' actions; its company has only an id.
 */
export function ownerAuthorization<S extends CallerServices & Databases & { clock: Clock }>(
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
