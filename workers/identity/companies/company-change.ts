import type { CompanyChange, NewCompany } from "../../../schemas/identity/companies";
import { randomHex, uuid } from "../../kit/crypto/random";
import { ConstraintError } from "../../kit/db/db";
import { followedBy } from "../../kit/db/statement";
import { clientIpKey } from "../../kit/limits/client-ip";
import { invalid, Problem } from "../../kit/problem";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { actorOf, changeEntry, SYSTEM_ACTOR } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { auditData, clientContext } from "../caller/client-context";
import { readOrigin } from "../redirects/oauth-redirect";
import type { IdentityServices } from "../services";
import { newUsernames } from "../sign-in/username";
import { findOwnedCompany, type OwnedCompanyRow } from "./company.store";
import {
  addOwners,
  admitOwners,
  changeCompany,
  createOwner,
  findCompanyOfEvent,
  findStaffAmong,
  insertCompany,
  insertCompanyEvent,
  insertOrigins,
  insertOwnersChanged,
  insertOwnersCreated,
  removeOtherOwners,
} from "./company-change.store";

const STAFF_KEYS = ["slug", "is_active", "data_retention_days"];
const MAX_SLUG = 60;

/** 400 `verified_email_domains: [not_allowed]`: a reserved key. */
export function refuseReservedKeys(body: Record<string, unknown>): void {
  if (Object.hasOwn(body, "verified_email_domains")) throw invalid({ verified_email_domains: ["not_allowed"] });
}

/** 403 `forbidden` with `[staff_only]` for keys that only staff may send. */
export function refuseStaffKeys(caller: Caller, body: Record<string, unknown>): void {
  const sent = caller.isStaff ? [] : STAFF_KEYS.filter((key) => Object.hasOwn(body, key));
  if (sent.length === 0) return;
  throw new Problem("forbidden", { field_errors: Object.fromEntries(sent.map((key) => [key, ["staff_only"]])) });
}

/** Slugs to try for a name, best first: the name itself, then with a number behind it. */
export function slugCandidates(name: string): string[] {
  const base =
    name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}/gu, "")
      .replace(/[^a-z0-9]+/g, "-")
      .slice(0, MAX_SLUG)
      .replace(/^-|-$/g, "") || "company";
  const numbers = Array.from({ length: 8 }, (_, index) => String(index + 2));
  const suffixes = [...numbers, String(Number.parseInt(randomHex(6), 16))];
  return [base, ...suffixes.map((suffix) => `${base.slice(0, MAX_SLUG - suffix.length - 1)}-${suffix}`)];
}

/** Who makes a company: an administrator of the platform, or a command, which alone lets staff accounts in. */
type Author = { userId: number | null; actor: string; data: string; source: "admin" | "command" };

/** The author of a request by staff. */
export async function authorOf(services: IdentityServices, request: Request, caller: Caller): Promise<Author> {
  const data = await auditData(services, clientContext(request, clientIpKey(request)), {});
  return { userId: caller.person.id, actor: actorOf(caller), data, source: "admin" };
}

/** The author of a command. */
export const operator: Author = {
  userId: null,
  actor: SYSTEM_ACTOR,
  data: JSON.stringify({ source: "command" }),
  source: "command",
};

/**
 * Makes a company with its owners, who become users with state `allowed`, and its first redirect origins; one batch. 400
 * `owner_emails: [not_allowed]` for a staff account, `redirect_origins` for one that may not be listed; 409 `conflict` for
 * a slug that is taken.
 */
export async function createCompany(
  services: IdentityServices,
  input: NewCompany,
  author: Author,
): Promise<OwnedCompanyRow> {
  const { clock, settings } = services;
  const created = { eventId: uuid(), now: clock.now() };
  const ownerEmails = [...new Set(input.owner_emails)];
  const origins = readOrigins(input.redirect_origins, settings.debug).map((origin) => ({ id: uuid(), origin }));
  const owners = ownerEmails.map((email) => ({ email, event_id: uuid() }));
  const { userId, actor, data, source } = author;
  const admitsStaff = source === "command";
  const inserted = insertCompany({
    ...created,
    name: input.name,
    slugs: input.slug === undefined ? slugCandidates(input.name) : [input.slug],
    accessMode: input.access_mode,
    domains: input.allowed_email_domains,
    retentionDays: settings.eventRetentionDays,
    ownerEmails,
    admitsStaff,
  });
  const { staff, company } = await batchWithEvents(
    services.actions,
    {
      inserted: followedBy(inserted, insertCompanyEvent({ ...created, userId, data, actor })),
      accounts: ownerEmails.map((email) => createOwner({ ...created, email, ...newUsernames(email) })),
      admitted: admitOwners({ ...created, ownerEmails, admitsStaff }),
      ownersCreated: insertOwnersCreated({ ...created, owners, actor, source }),
      origins: insertOrigins({ ...created, origins }),
      staff: findStaffAmong({ emails: ownerEmails }),
      company: findCompanyOfEvent({ eventId: created.eventId }),
    },
    owners.map(({ event_id }) => event_id),
  );
  if (company.first) return company.first;
  if (staff.first) throw invalid({ owner_emails: ["not_allowed"] });
  throw new Problem("conflict");
}

/** Origins of addresses, each once. */
function readOrigins(urls: string[], debug: boolean): string[] {
  try {
    return [...new Set(urls.map((url) => readOrigin(url, debug)))];
  } catch (error) {
    if (!(error instanceof Problem) || !error.options.field_errors) throw error;
    throw invalid({ redirect_origins: Object.values(error.options.field_errors).flat() });
  }
}

/**
 * Changes a company, all or nothing, with its audit entry. 400 `company_owner_required` for an empty list of owners,
 * `owner_ids: [invalid]` for somebody who is no member with state `allowed`; 409 `conflict` for a slug that is taken.
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
  const moved = movedIds.map((user_id) => ({ user_id, event_id: uuid() }));
  const changed = changeCompany({
    ...{ companyId, now, owners },
    name: input.name ?? null,
    slug: input.slug ?? null,
    accessMode: input.access_mode ?? null,
    domains: input.allowed_email_domains ?? null,
    isActive: input.is_active ?? null,
    retentionDays: input.data_retention_days ?? null,
  });
  const results = await orConflict(
    batchWithEvents(
      services.actions,
      {
        changed: followedBy(changed, entry, insertOwnersChanged({ moved, companyId, actor: actorOf(caller), now })),
        owners: owners === null ? [] : [addOwners({ companyId, owners }), removeOtherOwners({ companyId, owners })],
        after: findOwnedCompany({ companyId }),
      },
      moved.map(({ event_id }) => event_id),
    ),
  );
  if (results.changed.changes === 0) throw invalid({ owner_ids: ["invalid"] });
  if (!results.after.first) throw new Problem("not_found");
  return results.after.first;
}

/** The batch; 409 `conflict` when a constraint refused it: the slug is the only one that a caller can break. */
async function orConflict<T>(batch: Promise<T>): Promise<T> {
  try {
    return await batch;
  } catch (error) {
    if (error instanceof ConstraintError) throw new Problem("conflict", { cause: error });
    throw error;
  }
}

function changedFields(company: OwnedCompanyRow, input: CompanyChange): string[] {
  const { name, slug, access_mode, allowed_email_domains, is_active, data_retention_days } = input;
  const asked = { name, slug, access_mode, allowed_email_domains, is_active, data_retention_days };
  const isOther = ([key, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(company[key as keyof typeof asked]);
  return Object.entries(asked).flatMap((entry) => (isOther(entry) ? [entry[0]] : []));
}

function symmetricDifference(one: number[], other: number[]): number[] {
  return [...one.filter((id) => !other.includes(id)), ...other.filter((id) => !one.includes(id))];
}
