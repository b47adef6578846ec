import type { CompanyChange } from "../../../../schemas/identity/company/companies";
import { followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { conflictOnConstraint, Problem } from "../../problem";
import { actorOf, changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { ownershipStatements } from "../memberships/membership";
import { changeCompany, insertOwnersChanged } from "./company-change.store";
import { findOwnedCompany, type OwnedCompanyRow } from "./owned-company.store";

const STAFF_KEYS = ["slug", "is_active", "data_retention_days"];

/** Throws 400 `verified_email_domains: [not_allowed]` when the body has this reserved key. */
export function refuseReservedKeys(body: Record<string, unknown>): void {
  if (Object.hasOwn(body, "verified_email_domains")) throw invalid({ verified_email_domains: ["not_allowed"] });
}

/** Throws 403 `forbidden` with the field error `staff_only` for every key that only staff may send. */
export function refuseStaffKeys(caller: Caller, body: Record<string, unknown>): void {
  const sent = caller.isStaff ? [] : STAFF_KEYS.filter((key) => Object.hasOwn(body, key));
  if (sent.length === 0) return;
  throw new Problem("forbidden", { field_errors: Object.fromEntries(sent.map((key) => [key, ["staff_only"]])) });
}

/**
 * Changes a company and inserts its audit entry in one transaction. Throws 400 `company_owner_required` for an empty list of
 * owners, 400 `owner_ids: [invalid]` when an owner is not an allowed member, and 409 `conflict` for a slug that is taken.
 */
export async function editCompany(
  services: IdentityServices,
  { request, caller, company }: { request: Request; caller: Caller; company: OwnedCompanyRow },
  input: CompanyChange,
): Promise<OwnedCompanyRow> {
  if (input.owner_ids?.length === 0) throw new Problem("company_owner_required");
  const companyId = company.id;
  const owners = input.owner_ids === undefined ? null : [...new Set(input.owner_ids)];
  const movedIds = owners === null ? [] : symmetricDifference(owners, company.owners);
  const fields = [...changedFields(company, input), ...(movedIds.length > 0 ? ["owners"] : [])];
  if (fields.length === 0) return company;
  const data = { changed_fields: fields, ...(owners === null ? {} : { owner_ids: owners }) };
  const entry = await changeEntry(services, request, { caller, companyId, type: "identity.company.updated", data });
  const now = services.clock.now();
  const moved = movedIds.map((user_id) => ({ user_id, event_id: services.newEventId() }));
  const changed = changeCompany({
    companyId,
    now,
    owners,
    name: input.name ?? null,
    slug: input.slug ?? null,
    accessMode: input.access_mode ?? null,
    domains: input.allowed_email_domains ?? null,
    isActive: input.is_active ?? null,
    retentionDays: input.data_retention_days ?? null,
  });
  const results = await conflictOnConstraint(
    batchWithEvents(
      services.webhooks,
      services.db,
      {
        changed: followedBy(changed, entry, insertOwnersChanged({ moved, companyId, actor: actorOf(caller), now })),
        owners: owners === null ? [] : ownershipStatements({ companyId, owners }),
        after: findOwnedCompany({ companyId }),
      },
      moved.map(({ event_id: id }) => ({ id, company_id: companyId })),
    ),
  );
  if (results.changed.changes === 0) throw invalid({ owner_ids: ["invalid"] });
  if (!results.after.first) throw new Problem("not_found");
  return results.after.first;
}

function changedFields(company: OwnedCompanyRow, input: CompanyChange): string[] {
  const { name, slug, access_mode, allowed_email_domains, is_active, data_retention_days } = input;
  const newValues = { name, slug, access_mode, allowed_email_domains, is_active, data_retention_days };
  const isChanged = ([key, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(company[key as keyof typeof newValues]);
  return Object.entries(newValues).flatMap((entry) => (isChanged(entry) ? [entry[0]] : []));
}

function symmetricDifference(left: number[], right: number[]): number[] {
  return [...left.filter((id) => !right.includes(id)), ...right.filter((id) => !left.includes(id))];
}
