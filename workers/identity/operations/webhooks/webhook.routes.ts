import { identityErrors } from "../../../../schemas/identity/errors";
import { identityEventFields } from "../../../../schemas/identity/event-fields";
import { identityEvents } from "../../../../schemas/identity/events";
import type { Admitted, AuthorizationInput, Reads } from "../../../kit/http/call";
import type { AuditedRuleChange, WebhookCaller, WebhookScope, WebhooksApi } from "../../../kit/webhooks/api";
import { mountWebhooks } from "../../../kit/webhooks/mount";
import { authorizeCaller, callerErrorCodes } from "../../caller/credentials/authorize";
import { companyNameOf, findCompanyName } from "../../company/company/company";
import type { IdentityService } from "../../http";
import { ruleChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { eventLog } from "./event-log.store";

async function authorize<R extends Reads>(
  services: IdentityServices,
  request: Request,
  authorization: AuthorizationInput<"owner", R>,
): Promise<Admitted<WebhookCaller, WebhookScope, R>> {
  const { caller, scope: company, results } = await authorizeCaller(services, request, authorization);
  return {
    caller: { userId: caller.user.id, isStaff: caller.isStaff },
    scope: {
      company: companyNameOf(company),
      retentionDays: company.data_retention_days,
      auditEntry: (change: AuditedRuleChange) => ruleChangeEntry(services, request, caller, change),
    },
    results,
  };
}

const api: WebhooksApi<IdentityServices> = {
  catalog: { events: identityEvents, fieldsOf: identityEventFields },
  errors: identityErrors,
  authorize,
  impliedErrorCodes: (needs) => [...callerErrorCodes(needs), ...(needs.isMutation ? ["rate_limited"] : [])],
  companyOf: async (services, id) => (await findCompanyName(services, id)) ?? { id },
  eventLog,
  eventLogPaths: ["/api/v1/events"],
};

/** Mounts the webhook endpoints of a company and its event log, which is also available at /api/v1/events. */
export function mountIdentityWebhooks(service: IdentityService): void {
  mountWebhooks(service, api);
}
