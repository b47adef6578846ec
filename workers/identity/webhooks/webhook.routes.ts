import { identityErrors } from "../../../schemas/identity/errors";
import { identityEventFields } from "../../../schemas/identity/event-fields";
import { identityEvents } from "../../../schemas/identity/events";
import type { ActionsApi, Admit, RuleChangeNote } from "../../kit/webhooks/api";
import { mountActions } from "../../kit/webhooks/mount";
import { ruleChangeEntry } from "../audit/event-log";
import { admit } from "../caller/transition";
import { companyNameOf, findCompanyName } from "../companies/company";
import type { IdentityService } from "../http";
import type { IdentityServices } from "../services";
import { eventLog } from "./event-log.store";

async function admitOwner<T extends unknown[] = []>(
  services: IdentityServices,
  request: Request,
  options: Parameters<Admit<IdentityServices>>[2] = {},
) {
  const { caller, company, results } = await admit<T>(services, request, "owner", options);
  return {
    caller: { userId: caller.person.id, isStaff: caller.isStaff },
    company: companyNameOf(company),
    retentionDays: company.data_retention_days,
    note: (change: RuleChangeNote) => ruleChangeEntry(services, request, caller, change),
    results,
  } as never;
}

const api: ActionsApi<IdentityServices> = {
  catalog: { events: identityEvents, fieldsOf: identityEventFields },
  errors: identityErrors,
  refusals: ["token_invalid", "access_pending", "access_denied"],
  admit: admitOwner,
  companyOf: async (services, id) => (await findCompanyName(services, id)) ?? { id },
  eventLog,
  eventLogPaths: ["/api/v1/events"],
};

/** Webhooks of a company and its event log, which also stands under a path of its own. */
export function mountIdentityActions(service: IdentityService): void {
  mountActions(service, api);
}
