import { identityErrors } from "../../../schemas/identity/errors";
import { identityEventFields } from "../../../schemas/identity/event-fields";
import { identityEvents } from "../../../schemas/identity/events";
import type { ActionsApi, Admit, RuleChangeNote } from "../../kit/webhooks/api";
import { mountActions } from "../../kit/webhooks/mount";
import { type CompanyRow, findCompany } from "../account/person.store";
import { noteRuleChange } from "../audit/event-log";
import { eventLog } from "../audit/login-event.store";
import { admit } from "../caller/caller";
import type { IdentityService } from "../http";
import type { IdentityServices } from "../services";

async function admitOwner<T extends unknown[] = []>(
  services: IdentityServices,
  request: Request,
  options: Parameters<Admit<IdentityServices>>[2] = {},
) {
  const { caller, company, results } = await admit<T>(services, request, "owner", options);
  return {
    caller: { userId: caller.person.id, isStaff: caller.isStaff },
    company: companyPart(company),
    retentionDays: company.data_retention_days,
    note: (change: RuleChangeNote) => noteRuleChange(services, request, caller, change),
    results,
  };
}

const companyPart = ({ id, slug, name }: CompanyRow) => ({ id, slug, name });

const api: ActionsApi<IdentityServices> = {
  catalog: { events: identityEvents, fieldsOf: identityEventFields },
  errors: identityErrors,
  refusals: ["token_invalid", "access_pending", "access_denied"],
  admit: admitOwner,
  companyOf: async ({ db }, companyId) => {
    const row = await db.first<CompanyRow>(findCompany.bind(db, companyId));
    return row === null ? { id: companyId } : companyPart(row);
  },
  eventLog,
  eventLogPaths: ["/api/v1/events"],
};

/** Webhooks of a company and its event log, which also stands under a path of its own (identity details 11). */
export function mountIdentityActions(service: IdentityService): void {
  mountActions(service, api);
}
