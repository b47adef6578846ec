import { identityErrors } from "../../../schemas/identity/errors";
import { identityEventFields } from "../../../schemas/identity/event-fields";
import { identityEvents } from "../../../schemas/identity/events";
import { adminRefusals } from "../../kit/auth/authorize";
import type { BatchResults } from "../../kit/db/db";
import { asList } from "../../kit/db/legacy";
import type { Bound } from "../../kit/db/statement";
import type { Admitted, Asked, Reads } from "../../kit/http/call";
import type { ActionsApi, ActionsCaller, RuleChangeNote, WebhookScope } from "../../kit/webhooks/api";
import { mountActions } from "../../kit/webhooks/mount";
import { type CompanyRow, findCompany } from "../account/person.store";
import { noteRuleChange } from "../audit/event-log";
import { eventLog } from "../audit/login-event.store";
import { admit } from "../caller/caller";
import type { IdentityService } from "../http";
import type { IdentityServices } from "../services";

async function authorize<R extends Reads>(
  services: IdentityServices,
  request: Request,
  { named, reads }: Asked<"owner", R>,
): Promise<Admitted<ActionsCaller, WebhookScope, R>> {
  let read = (_results: never[]): BatchResults<R> => ({}) as BatchResults<R>;
  const { caller, company, results } = await admit(services, request, "owner", {
    body: { companyId: named.body, seen: {}, take: () => ({}) },
    reads: (companyId, userId) => {
      const list = asList(reads({ companyId, userId }) ?? ({} as R));
      read = list.read;
      return list.statements;
    },
  });
  return {
    caller: { userId: caller.person.id, isStaff: caller.isStaff },
    scope: {
      company: companyPart(company),
      retentionDays: company.data_retention_days,
      note: (change: RuleChangeNote) => noteRuleChange(services, request, caller, change) as unknown as Promise<Bound>,
    },
    results: read(results as never[]),
  };
}

const companyPart = ({ id, slug, name }: CompanyRow) => ({ id, slug, name });

const api: ActionsApi<IdentityServices> = {
  catalog: { events: identityEvents, fieldsOf: identityEventFields },
  errors: identityErrors,
  authorize,
  refusalsOf: (needs) => [
    ...adminRefusals(needs),
    ...["token_invalid", "access_pending", "access_denied", "not_found", "company_mismatch", "validation_failed"],
  ],
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
