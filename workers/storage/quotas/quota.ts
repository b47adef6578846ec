import type { CompanyQuotaRow } from "../../../db/storage/schema";
import { changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { findCompany, openCompany, refreshCompany, requireCompany } from "../companies/company";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import {
  addCompanyEvent,
  addUserEvent,
  changeCompanyQuota,
  clearUserQuota,
  findQuota,
  putUserQuota,
} from "./quota.store";

/** Returns the quota of a company and of one of its users. Creates the company's rows on first use. */
export async function readQuota(services: StorageServices, companyId: number, user: UserActor) {
  const read = () => services.dbOf(companyId).first(findQuota({ companyId, userId: user.userId }));
  const existingRow = await read();
  if (existingRow !== null) return existingRow;
  await openCompany(services, companyId, user);
  return await read();
}

/** Creates the company's rows on first use. Throws 404 `not_found` if identity does not know the company. */
export async function ensureCompany(services: StorageServices, companyId: number, actor: Actor): Promise<void> {
  const company = await services.dbOf(companyId).first(findCompany({ companyId }));
  if (company === null) await openCompany(services, companyId, actor);
  refreshCompany(services, company);
}

/**
 * Returns the loaded row of a company, or creates the row on first use. Throws 404 `not_found` if identity does not know the
 * company.
 */
export async function ensureCompanyRow(
  services: StorageServices,
  companyId: number,
  actor: Actor,
  loadedRow: CompanyQuotaRow | null,
): Promise<CompanyQuotaRow> {
  if (loadedRow !== null) return loadedRow;
  await openCompany(services, companyId, actor);
  const createdRow = await services.dbOf(companyId).first(findCompany({ companyId }));
  if (createdRow === null) throw new Problem("not_found");
  return createdRow;
}

/** Sets the caps of a company and returns its row. A cap that is undefined is not changed. */
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
          hasMaxBytes: maxBytes !== undefined,
          maxBytes: maxBytes ?? null,
          hasMaxBytesPerUser: maxBytesPerUser !== undefined,
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

/** Sets a user's own cap and returns the row. With null, the company's default applies. */
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

/**
 * Removes a user's own cap. If the user has none, writes no row and no event. Throws 404 `not_found` for an unknown company.
 */
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
        clearUserQuota({ companyId, userId }),
        entryOf(admin, event, { user_id: userId, max_bytes: null }),
      ),
      event: addUserEvent({ ...event, subject: userId }),
      company: findCompany({ companyId }),
    },
    [{ id: event.id, company_id: companyId }],
  );
  if (company.first === null) await requireCompany(services, companyId);
  refreshCompany(services, company.first);
}

/** Returns the columns of the event of a change, without its data. */
const eventOf = ({ clock }: StorageServices, companyId: number, actor: Actor) => ({
  id: uuid(),
  companyId,
  ...eventActor(actor),
  now: clock.now(),
});

/**
 * Returns the statement that inserts the audit entry of a change. It must run directly after the statement that makes the
 * change.
 */
const entryOf = (
  { kind, userId }: Actor,
  { companyId, now }: { companyId: number; now: number },
  changes: Record<string, number | null | undefined>,
) => changeEntry({ actor: { kind, userId }, companyId, action: "quota.changed", target: "quota", changes, now });
