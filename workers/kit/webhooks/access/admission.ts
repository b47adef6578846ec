import { type AdminScopes, adminRefusals, authorizeAdmin } from "../../auth/authorize";
import type { AdminCaller, CallerServices } from "../../auth/caller";
import type { Databases } from "../../db/db";
import type { Authorize, CallNeeds } from "../../http/call";
import type { WebhookCaller, WebhookScope, WebhookScopes } from "../api";
import type { EnvelopeCompany } from "../events/envelope";

/**
 * How a sibling of identity admits calls about webhooks. `retentionDays` is how long a company's events are kept; `audit`
 * makes the entries of what an administrator does, where the service keeps them; `companyOf` is how an envelope names the
 * company, by its id unless told.
 */
export function admitOwners<S extends CallerServices & Databases>(
  retentionDays: (services: S) => number,
  audit: (services: S, caller: AdminCaller) => Pick<WebhookScope, "auditEntry" | "auditUse"> = () => ({}),
  companyOf: (services: S, companyId: number) => Promise<EnvelopeCompany> = async (_services, id) => ({ id }),
): { authorize: Authorize<S, WebhookScopes, WebhookCaller>; refusalsOf: (needs: CallNeeds<"owner">) => string[] } {
  return {
    authorize: async (services, request, asked) => {
      const { caller, scope: id, results } = await authorizeAdmin(services, request, asked);
      const { userId, isStaff } = caller;
      return {
        caller: { userId, isStaff },
        scope: {
          company: await companyOf(services, id),
          retentionDays: retentionDays(services),
          ...audit(services, caller),
        },
        results,
      };
    },
    refusalsOf: (needs: CallNeeds<keyof AdminScopes>) => adminRefusals(needs),
  };
}
