import { identityErrors } from "../../../schemas/identity/errors";
import { identityEventFields } from "../../../schemas/identity/event-fields";
import { identityEvents } from "../../../schemas/identity/events";
import { adminRefusals } from "../../kit/auth/authorize";
import type { Admitted, Asked, Reads } from "../../kit/http/call";
import type { ActionsApi, ActionsCaller, RuleChangeNote, WebhookScope } from "../../kit/webhooks/api";
import { mountActions } from "../../kit/webhooks/mount";
import { ruleChangeEntry } from "../audit/event-log";
import { authorizeCaller } from "../caller/authorize";
import { companyNameOf, findCompanyName } from "../companies/company";
import type { IdentityService } from "../http";
import type { IdentityServices } from "../services";
import { eventLog } from "./event-log.store";

async function authorize<R extends Reads>(
  services: IdentityServices,
  request: Request,
  asked: Asked<"owner", R>,
): Promise<Admitted<ActionsCaller, WebhookScope, R>> {
  const { caller, scope: company, results } = await authorizeCaller(services, request, asked);
  return {
    caller: { userId: caller.person.id, isStaff: caller.isStaff },
    scope: {
      company: companyNameOf(company),
      retentionDays: company.data_retention_days,
      note: (change: RuleChangeNote) => ruleChangeEntry(services, request, caller, change),
    },
    results,
  };
}

const api: ActionsApi<IdentityServices> = {
  catalog: { events: identityEvents, fieldsOf: identityEventFields },
  errors: identityErrors,
  authorize,
  refusalsOf: (needs) => [
    ...adminRefusals(needs),
    ...["token_invalid", "access_pending", "access_denied", "not_found", "company_mismatch", "validation_failed"],
  ],
  companyOf: async (services, id) => (await findCompanyName(services, id)) ?? { id },
  eventLog,
  eventLogPaths: ["/api/v1/events"],
};

/** Webhooks of a company and its event log, which also stands under a path of its own. */
export function mountIdentityActions(service: IdentityService): void {
  mountActions(service, api);
}
