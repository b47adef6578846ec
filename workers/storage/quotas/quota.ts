import type { CompanyQuotaRow } from "../../../db/storage/schema";
import { changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import {
  type Actor,
  eventActor,
  findCompany,
  nameCompany,
  openCompany,
  type Person,
  refreshCompany,
} from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import {
  addCompanyEvent,
  addUserEvent,
  changeCompanyQuota,
  dropUserQuota,
  findQuota,
  putUserQuota,
} from "./quota.store";

/** The quota of a company and one of its users; the first question about a company makes its row. */
export async function readQuota(services: StorageServices, companyId: number, user: Person) {
  const read = () => services.dbOf(companyId).first(findQuota({ companyId, userId: user.userId }));
  const found = await read();
  if (found !== null) return found;
  await openCompany(services, companyId, user);
  return await read();
}

/** Makes the company's row when this is its first use. 404 `not_found`: identity does not know it. */
export async function ensureCompany(services: StorageServices, companyId: number, person: Actor): Promise<void> {
  const company = await services.dbOf(companyId).first(findCompany({ companyId }));
  if (company === null) await openCompany(services, companyId, person);
  refreshCompany(services, company);
}

/** The row that was found of a company, or the one that its first use makes. 404 `not_found`: identity does not know it. */
export async function foundOrOpened(
  services: StorageServices,
  companyId: number,
  person: Actor,
  found: CompanyQuotaRow | null,
): Promise<CompanyQuotaRow> {
  if (found !== null) return found;
  await openCompany(services, companyId, person);
  const made = await services.dbOf(companyId).first(findCompany({ companyId }));
  if (made === null) throw new Problem("not_found");
  return made;
}

/** New caps of a company; undefined keeps the present one. */
export async function setCompanyQuota(
  services: StorageServices,
  companyId: number,
  admin: Actor,
  { maxBytes, maxBytesPerUser }: { maxBytes: number | null | undefined; maxBytesPerUser: number | null | undefined },
) {
  await ensureCompany(services, companyId, admin);
  const event = eventOf(services, companyId, admin);
  const { changed } = await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    {
      changed: followedBy(
        changeCompanyQuota({
          companyId,
          isMaxGiven: maxBytes !== undefined,
          maxBytes: maxBytes ?? null,
          isPerUserGiven: maxBytesPerUser !== undefined,
          maxBytesPerUser: maxBytesPerUser || null,
        }),
        entryOf(admin, event, { max_bytes: maxBytes, max_bytes_per_user: maxBytesPerUser }),
      ),
      event: addCompanyEvent(event),
    },
    [{ id: event.id, company_id: companyId }],
  );
  return changed.first;
}

/** A user's own cap; null: the default of the company holds. */
export async function setUserQuota(
  services: StorageServices,
  companyId: number,
  admin: Actor,
  { userId, maxBytes }: { userId: number; maxBytes: number | null },
) {
  await ensureCompany(services, companyId, admin);
  const event = eventOf(services, companyId, admin);
  const { changed } = await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    {
      changed: followedBy(
        putUserQuota({ companyId, userId, maxBytes }),
        entryOf(admin, event, { user_id: userId, max_bytes: maxBytes }),
      ),
      event: addUserEvent({ ...event, subject: userId }),
    },
    [{ id: event.id, company_id: companyId }],
  );
  return changed.first;
}

/** Takes a user's own cap away; where there is none, nothing is written or told. 404 as for any company that is not there. */
export async function removeUserQuota(
  services: StorageServices,
  companyId: number,
  admin: Actor,
  userId: number,
): Promise<void> {
  const event = eventOf(services, companyId, admin);
  const { company } = await batchWithEvents(
    services.webhooks,
    services.dbOf(companyId),
    {
      changed: followedBy(
        dropUserQuota({ companyId, userId }),
        entryOf(admin, event, { user_id: userId, max_bytes: null }),
      ),
      event: addUserEvent({ ...event, subject: userId }),
      company: findCompany({ companyId }),
    },
    [{ id: event.id, company_id: companyId }],
  );
  if (company.first === null) await nameCompany(services, companyId);
  refreshCompany(services, company.first);
}

/** The event of a change, but its data. */
const eventOf = ({ clock }: StorageServices, companyId: number, actor: Actor) => ({
  id: uuid(),
  companyId,
  ...eventActor(actor),
  now: clock.now(),
});

/** The audit entry of a change, right behind its statement. */
const entryOf = (
  { kind, userId }: Actor,
  { companyId, now }: { companyId: number; now: number },
  changes: Record<string, number | null | undefined>,
) => changeEntry({ actor: { kind, userId }, companyId, action: "quota.changed", target: "quota", changes, now });
