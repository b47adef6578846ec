import type { CompanyChange, NewCompany } from "../../../schemas/identity/companies";
import { randomHex, uuid } from "../../kit/crypto/random";
import { ConstraintError } from "../../kit/db";
import { clientIpKey } from "../../kit/limits/client-ip";
import { invalid, Problem } from "../../kit/problem";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { actorOf, noteChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { auditData, clientContext } from "../caller/client-context";
import { readOrigin } from "../redirects/oauth-redirect";
import type { IdentityServices } from "../services";
import { usernameCandidates } from "../sign-in/join";
import {
  addOwners,
  admitOwners,
  changeCompany,
  createOwner,
  findCompanyOfEvent,
  findOwnedCompany,
  findStaffAmong,
  insertCompany,
  insertCompanyEvent,
  insertOrigins,
  insertOwnersChanged,
  insertOwnersCreated,
  type OwnedCompanyRow,
  removeOtherOwners,
} from "./company.store";

const staffKeys = ["slug", "is_active", "data_retention_days"];
const maxSlug = 60;

/** Who makes or changes a company. */
type Change = { services: IdentityServices; request: Request; caller: Caller };

/** 400 `verified_email_domains: [not_allowed]`: a reserved key (details 7.2). */
export function refuseReservedKeys(body: Record<string, unknown>): void {
  if (Object.hasOwn(body, "verified_email_domains")) throw invalid({ verified_email_domains: ["not_allowed"] });
}

/** 403 `forbidden` with `[staff_only]` for keys that only staff may send (details 7.2). */
export function refuseStaffKeys(caller: Caller, body: Record<string, unknown>): void {
  const sent = caller.isStaff ? [] : staffKeys.filter((key) => Object.hasOwn(body, key));
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
      .slice(0, maxSlug)
      .replace(/^-|-$/g, "") || "company";
  const numbers = Array.from({ length: 8 }, (_, index) => String(index + 2));
  const suffixes = [...numbers, String(Number.parseInt(randomHex(6), 16))];
  return [base, ...suffixes.map((suffix) => `${base.slice(0, maxSlug - suffix.length - 1)}-${suffix}`)];
}

/** Who makes a company: an administrator of the platform, or a command, which alone lets staff accounts in. */
type Author = { userId: number | null; actor: string; data: string; source: "admin" | "command" };

/** The author of a request by staff. */
export async function authorOf({ services, request, caller }: Change): Promise<Author> {
  const data = await auditData(services, clientContext(request, clientIpKey(request)), {});
  return { userId: caller.person.id, actor: actorOf(caller), data, source: "admin" };
}

/** The author of a command (details 13). */
export const operator: Author = {
  userId: null,
  actor: JSON.stringify({ kind: "system" }),
  data: JSON.stringify({ source: "command" }),
  source: "command",
};

/**
 * Makes a company with its owners, who become users with state `allowed`, and its first redirect origins; one batch
 * (details 7.2). 400 `owner_emails: [not_allowed]` for a staff account, `redirect_origins` as `base_url` of 7.5; 409
 * `conflict` for a slug that is taken.
 */
export async function createCompany(services: IdentityServices, input: NewCompany, author: Author) {
  const { db, clock, settings } = services;
  const now = clock.now();
  const event = uuid();
  const emails = [...new Set(input.owner_emails)];
  const owners = JSON.stringify(emails);
  const slugs = input.slug === undefined ? slugCandidates(input.name) : [input.slug];
  const origins = readOrigins(input.redirect_origins, settings.debug);
  const { userId, actor, data, source } = author;
  const admitsStaff = source === "command";
  const created = withEventIds("email", emails);
  const batch = [
    insertCompany.bind(
      db,
      event,
      input.name,
      JSON.stringify(slugs),
      input.access_mode,
      JSON.stringify(input.allowed_email_domains),
      settings.eventRetentionDays,
      now,
      owners,
      admitsStaff,
    ),
    insertCompanyEvent.bind(db, event, userId, data, actor, now),
    ...emails.map((email) => createOwner.bind(db, event, email, now, ...usernameCandidates(email, randomHex(6)))),
    admitOwners.bind(db, event, now, owners, admitsStaff),
    insertOwnersCreated.bind(db, event, now, JSON.stringify(created), actor, source),
    insertOrigins.bind(db, event, now, JSON.stringify(origins.map((origin) => ({ id: uuid(), origin })))),
    findStaffAmong.bind(db, owners),
    findCompanyOfEvent.bind(db, event),
  ];
  const events = created.map(({ event_id }) => event_id);
  const results = await batchWithEvents<unknown[]>(services.actions, batch, events);
  const company = results.at(-1)?.results[0] as OwnedCompanyRow | undefined;
  if (company) return company;
  if (results.at(-2)?.results.length) throw invalid({ owner_emails: ["not_allowed"] });
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

/** A list of rows that each get an event of their own. */
function withEventIds(key: "email" | "user_id", values: (string | number)[]): { event_id: string }[] {
  return values.map((value) => ({ [key]: value, event_id: uuid() }));
}

/**
 * Changes a company, all or nothing, with its audit entry (details 7.2). 400 `company_owner_required` for an empty list of
 * owners, `owner_ids: [invalid]` for somebody who is no member with state `allowed`; 409 `conflict` for a slug that is taken.
 */
export async function editCompany(
  { services, request, caller }: Change,
  company: OwnedCompanyRow,
  input: CompanyChange,
): Promise<OwnedCompanyRow> {
  const { db, clock } = services;
  if (input.owner_ids?.length === 0) throw new Problem("company_owner_required");
  const present = JSON.parse(company.owners) as number[];
  const owners = input.owner_ids === undefined ? null : [...new Set(input.owner_ids)];
  const moved = owners === null ? [] : symmetricDifference(owners, present);
  const changed = [...changedFields(company, input), ...(moved.length > 0 ? ["owners"] : [])];
  if (changed.length === 0) return company;
  const ids = owners === null ? null : JSON.stringify(owners);
  const domains = input.allowed_email_domains;
  const type = "identity.company.updated";
  const data = { changed_fields: changed, ...(owners === null ? {} : { owner_ids: owners }) };
  const note = await noteChange(services, request, { caller, companyId: company.id, type, data });
  const now = clock.now();
  const change = changeCompany.bind(
    db,
    company.id,
    now,
    input.name ?? null,
    input.slug ?? null,
    input.access_mode ?? null,
    domains === undefined ? null : JSON.stringify(domains),
    input.is_active ?? null,
    input.data_retention_days ?? null,
    ids,
  );
  const owned = withEventIds("user_id", moved);
  const batch = [
    change,
    note,
    insertOwnersChanged.bind(db, JSON.stringify(owned), company.id, actorOf(caller), now),
    ...(ids === null ? [] : [addOwners.bind(db, company.id, ids), removeOtherOwners.bind(db, company.id, ids)]),
    findOwnedCompany.bind(db, company.id),
  ];
  const results = await batchOrConflict(
    services,
    batch,
    owned.map(({ event_id }) => event_id),
  );
  if (results[0]?.meta.changes === 0) throw invalid({ owner_ids: ["invalid"] });
  const after = results.at(-1)?.results[0];
  if (!after) throw new Problem("not_found");
  return after;
}

/** The batch; 409 `conflict` when a constraint refused it: the slug is the only one that a caller can break. */
async function batchOrConflict(services: IdentityServices, statements: D1PreparedStatement[], events: string[]) {
  try {
    return await batchWithEvents<OwnedCompanyRow[]>(services.actions, statements, events);
  } catch (error) {
    if (error instanceof ConstraintError) throw new Problem("conflict", { cause: error });
    throw error;
  }
}

function changedFields(company: OwnedCompanyRow, input: CompanyChange): string[] {
  const domains = input.allowed_email_domains;
  const next: Record<string, unknown> = {
    name: input.name,
    slug: input.slug,
    access_mode: input.access_mode,
    allowed_email_domains: domains === undefined ? undefined : JSON.stringify(domains),
    is_active: input.is_active === undefined ? undefined : Number(input.is_active),
    data_retention_days: input.data_retention_days,
  };
  const before: Record<string, unknown> = { ...company };
  return Object.keys(next).filter((key) => next[key] !== undefined && next[key] !== before[key]);
}

function symmetricDifference(one: number[], other: number[]): number[] {
  return [...one.filter((id) => !other.includes(id)), ...other.filter((id) => !one.includes(id))];
}
