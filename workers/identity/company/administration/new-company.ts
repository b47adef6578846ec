import type { NewCompany } from "../../../../schemas/identity/company/companies";
import { randomHex } from "../../../kit/crypto/random";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import { batchWithEvents } from "../../../kit/webhooks/event-store/new-event";
import { auditData, clientContext } from "../../caller/client/client-context";
import type { Caller } from "../../caller/credentials/caller";
import { Problem } from "../../problem";
import { actorOf, SYSTEM_ACTOR } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { ownerMembershipStatement } from "../memberships/membership";
import { readOrigin } from "../redirects/oauth-redirect";
import {
  createOwner,
  findCompanyOfEvent,
  findStaffAmong,
  insertCompany,
  insertCompanyEvent,
  insertOrigins,
  insertOwnersCreated,
} from "./new-company.store";
import type { OwnedCompanyRow } from "./owned-company.store";

const MAX_SLUG = 60;

/** Returns the slugs to try for a company name, in order: the name itself, then the name with a number appended. */
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

/** The creator of a company: a staff user or an operator command. Only a command may make staff accounts owners. */
type Author = { userId: number | null; actor: string; data: string; source: "admin" | "command" };

/** Returns the author for a request that staff sent. */
export async function authorOf(services: IdentityServices, request: Request, caller: Caller): Promise<Author> {
  const data = await auditData(services, clientContext(request), {});
  return { userId: caller.user.id, actor: actorOf(caller), data, source: "admin" };
}

/** The author for an operator command. */
export const operator: Author = {
  userId: null,
  actor: SYSTEM_ACTOR,
  data: JSON.stringify({ source: "command" }),
  source: "command",
};

/**
 * Creates a company in one batch with its first redirect origins and its owners, who become allowed members. Throws 400
 * `owner_emails: [not_allowed]` for a staff account, 400 `redirect_origins` for an origin that may not be listed, and 409
 * `conflict` for a slug that is taken.
 */
export async function createCompany(
  services: IdentityServices,
  input: NewCompany,
  author: Author,
): Promise<OwnedCompanyRow> {
  const { clock, settings } = services;
  const created = { eventId: services.newEventId(), now: clock.now() };
  const ownerEmails = [...new Set(input.owner_emails)];
  const origins = readOrigins(input.redirect_origins, settings.debug).map((origin) => ({ id: uuid(), origin }));
  const owners = ownerEmails.map((email) => ({ email, event_id: services.newEventId() }));
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
    services.webhooks,
    services.db,
    {
      inserted: followedBy(inserted, insertCompanyEvent({ ...created, userId, data, actor })),
      accounts: ownerEmails.map((email) => createOwner({ ...created, email, ...newUsernames(email) })),
      admitted: ownerMembershipStatement({ ...created, ownerEmails, admitsStaff }),
      ownersCreated: insertOwnersCreated({ ...created, owners, actor, source }),
      origins: insertOrigins({ ...created, origins }),
      staff: findStaffAmong({ emails: ownerEmails }),
      company: findCompanyOfEvent({ eventId: created.eventId }),
    },
    owners.map(({ event_id: id }) => ({ id, reported_by: created.eventId })),
  );
  if (company.first) return company.first;
  if (staff.first) throw invalid({ owner_emails: ["not_allowed"] });
  throw new Problem("conflict");
}

/** Returns the distinct origins of the URLs. Throws 400 `redirect_origins` for an origin that may not be listed. */
export function readOrigins(urls: string[], debug: boolean): string[] {
  try {
    return [...new Set(urls.map((url) => readOrigin(url, debug)))];
  } catch (error) {
    if (!(error instanceof Problem) || !error.options.field_errors) throw error;
    throw invalid({ redirect_origins: Object.values(error.options.field_errors).flat() });
  }
}
