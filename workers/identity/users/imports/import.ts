import { nameKeyOf } from "../../../../db/identity/groups";
import type { CompanyRow } from "../../../../db/identity/schema";
import { type ImportResult, importRow } from "../../../../schemas/identity/people/imports";
import { toSlices } from "../../../kit/db/slices";
import type { Bound } from "../../../kit/db/statement";
import { fieldErrors } from "../../../kit/http/request/parse";
import { CommandRefusal } from "../../../kit/management/stream";
import { batchWithEvents, type EventKey, storableData } from "../../../kit/webhooks/event-store/new-event";
import { selectCompany } from "../../company/company/company";
import { groupNamesOfAddressesStatement, importStatement } from "../../company/memberships/membership";
import { selectOldestOrigin } from "../../company/redirects/oauth-redirect";
import type { IdentityServices } from "../../services";
import {
  type Inviter,
  invitationStatements,
  limitInvitations,
  readAppUrl,
  startMails,
} from "../invitations/invitation";
import { newUsernames } from "../profiles/username";
import {
  insertAccounts,
  insertGroupJoins,
  insertLinks,
  insertPreferences,
  recountGroups,
  renameAccounts,
  renameProfiles,
} from "./import.store";
import {
  insertCreatedEvents,
  insertEnabledEvents,
  insertJoinEvents,
  insertRenamedEvents,
  insertTransferEvent,
} from "./import-event.store";
import {
  type CheckedRow,
  type Existing,
  type ImportOptions,
  type ImportPlan,
  linkKey,
  planImport,
  readAccounts,
  rejected,
} from "./import-plan";
import {
  findCompanyIssuers,
  findGroupsByName,
  findInvitationsOf,
  findLinkedUsers,
  findPeople,
  findTakenUsernames,
} from "./import-read.store";

/** The caller of an import or export, as the events name it. */
export type TransferCaller = Inviter;

/** A chunk of an import: the company, the caller and the options. */
type Import = {
  services: IdentityServices;
  companyId: number;
  caller: TransferCaller;
  options: ImportOptions & { dryRun: boolean };
};

/** Returns the company. Throws CommandRefusal when it does not exist. */
export function requireCompany(companyId: number, company: CompanyRow | null): CompanyRow {
  if (company === null) throw new CommandRefusal(`there is no company ${companyId}`);
  return company;
}

/** Like requireCompany, but also throws CommandRefusal when the company is inactive. */
function requireActive(companyId: number, row: CompanyRow | null): CompanyRow {
  const company = requireCompany(companyId, row);
  if (!company.is_active) throw new CommandRefusal(`company ${companyId} is not active`);
  return company;
}

/**
 * Imports a chunk of people in one batch with its events, and returns a result per row, in the order of `rows`. Rows that are
 * stored already write nothing. A dry run only returns the results. Sends mail only with `invite`. Throws CommandRefusal for an
 * unknown company, and 429 `rate_limited` when the invitations exceed the limit of the company.
 */
export async function importPeople(chunk: Import, rows: readonly unknown[]): Promise<ImportResult[]> {
  const { services, companyId, options } = chunk;
  const now = services.clock.now();
  const checked = await checkRows(services, companyId, rows);
  const existing = await readExisting(services, companyId, checked.filter(isRow), now);
  const plan = planImport(checked, existing, options, { now, newEventId: services.newEventId });
  if (!options.dryRun) await storePlan(chunk, existing.company, plan, now);
  return plan.results;
}

const isRow = (row: CheckedRow | ImportResult): row is CheckedRow => !("status" in row);

/** Validates rows without stored data, except the issuers of the company's own providers. */
async function checkRows(
  { db }: IdentityServices,
  companyId: number,
  rows: readonly unknown[],
): Promise<(CheckedRow | ImportResult)[]> {
  const parsed = rows.map((row) => ({ row, result: importRow.safeParse(row) }));
  const usesCompanyProvider = parsed.some(({ result }) =>
    result.data?.provider_accounts.some(({ provider }) => provider.startsWith("oidc")),
  );
  const issuers = usesCompanyProvider ? await db.all(findCompanyIssuers({ companyId })) : [];
  const issuerOf = new Map(issuers.flatMap(({ provider_id, issuer }) => (issuer ? [[provider_id, issuer]] : [])));
  const addresses = new Set<string>();
  return parsed.map(({ row, result }) => {
    if (!result.success) return rejected(fieldErrors(result.error, row));
    const accounts = readAccounts(result.data, companyId, issuerOf);
    if (!Array.isArray(accounts)) return accounts;
    const { email } = result.data;
    if (addresses.has(email)) return rejected({ email: ["duplicate"] });
    addresses.add(email);
    return { ...result.data, accounts };
  });
}

/** Reads the stored rows that concern a chunk, in one round trip. Throws CommandRefusal for an unknown or inactive company. */
async function readExisting(
  { db }: IdentityServices,
  companyId: number,
  rows: readonly CheckedRow[],
  now: number,
): Promise<Existing & { company: CompanyRow }> {
  const emails = rows.map(({ email }) => email);
  const keys = [...new Set(rows.flatMap(({ groups }) => groups.map(nameKeyOf)))];
  const usernames = [...new Set(emails.flatMap((email) => Object.values(newUsernames(email))))];
  const { company, people, invitations, groups, links, taken } = await db.batch({
    company: selectCompany(companyId),
    people: findPeople({ companyId, emails }),
    invitations: findInvitationsOf({ companyId, emails }),
    groups: findGroupsByName({ companyId, keys }),
    links: findLinkedUsers({ accounts: rows.flatMap(({ accounts }) => accounts) }),
    taken: findTakenUsernames({ usernames }),
  });
  const states = invitations.rows.flatMap(({ email, status, expires_at }): [string, "open" | "revoked"][] => {
    if (status === "revoked") return [[email, status]];
    return expires_at > now ? [[email, "open"]] : [];
  });
  return {
    company: requireActive(companyId, company.first),
    people: new Map(people.rows.map((row) => [row.email, row])),
    invitations: new Map(states),
    groups: new Map(groups.rows.map((row) => [row.name_key, row])),
    links: new Map(links.rows.map((row) => [linkKey(row), row.user_id])),
    usernames: new Set(taken.rows.map(({ username }) => username)),
  };
}

/** Stores a plan in one batch. Writes nothing when there is nothing to change. */
async function storePlan(chunk: Import, company: CompanyRow, plan: ImportPlan, now: number): Promise<void> {
  const { services, companyId, caller } = chunk;
  const { results, invitees, ...changes } = plan;
  if (Object.values(changes).every((list) => list.length === 0) && invitees.length === 0) return;
  const invitations = await prepareInvitations(chunk, company, invitees);
  const events: EventKey[] = [...invitations.events];
  const write = statementsOf(chunk, plan, now, events);
  const count = (status: ImportResult["status"]) => results.filter((result) => result.status === status).length;
  const data = { created: count("created"), updated: count("updated"), invited: invitees.length };
  const { stored } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      ...write,
      ...invitations.statements,
      entry: insertTransferEvent({
        id: services.newEventId(),
        companyId,
        type: "identity.people.imported",
        callerId: caller.userId,
        actor: caller.actor,
        data: storableData(data),
        now,
      }),
    },
    events,
    { postsToEmail: false },
  );
  if (stored !== null) await startMails(services, stored.rows);
}

type Invited = Pick<Awaited<ReturnType<typeof invitationStatements>>, "statements" | "events">;

const NO_INVITATIONS = {
  statements: { replaced: null, inserted: null, invited: null, stored: null },
  events: [],
};

/**
 * Counts the invitations against the limit of the company and returns their statements. Throws 429 `rate_limited`, and
 * CommandRefusal when the company has no redirect origin.
 */
async function prepareInvitations(
  { services, caller }: Import,
  company: CompanyRow,
  invitees: ImportPlan["invitees"],
): Promise<Invited | typeof NO_INVITATIONS> {
  if (invitees.length === 0) return NO_INVITATIONS;
  const inviting = { services, company, inviter: caller };
  const origin = await services.db.first(selectOldestOrigin(company.id));
  if (origin === null) throw new CommandRefusal("add a redirect origin to the company before you invite people");
  const appUrl = await readAppUrl(inviting, undefined, origin.base_url);
  const { invitation: rate } = services.settings.rates;
  if (rate !== null && rate.limit > 0 && rate.limit < invitees.length)
    throw new CommandRefusal(`AUTH_RATE_LIMIT_INVITATION does not allow ${invitees.length} invitations in one call`);
  await limitInvitations(inviting, invitees.length);
  return invitationStatements(inviting, invitees, { appUrl, sendMail: true });
}

/** Returns the statements of a plan, without invitations. Appends the keys of their events to `events`. */
function statementsOf({ services, companyId, caller }: Import, plan: ImportPlan, now: number, events: EventKey[]) {
  const { accounts, added, allowed, created, enabled, renames, preferences: people, links, joins } = plan;
  const inChunk = { companyId, now };
  const entry = { ...inChunk, actor: caller.actor };
  const groupIdsOf = (list: typeof joins) => [...new Set(list.map(({ group_id }) => group_id))];
  const joinSlices = toSlices(joins).map((slice) => ({
    joins: slice,
    groups: groupIdsOf(slice).map((group_id) => ({ group_id, event_id: services.newEventId() })),
  }));
  const groupEvents = joinSlices.flatMap(({ groups }) => groups);
  for (const { event_id: id } of [...created, ...enabled, ...renames, ...groupEvents])
    events.push({ id, company_id: companyId });
  const unlessEmpty = (list: readonly unknown[], ...statements: Bound[]) => (list.length === 0 ? [] : statements);
  return {
    accounts: unlessEmpty(accounts, insertAccounts({ accounts, now })),
    memberships: [
      ...unlessEmpty(added, importStatement("add", { ...inChunk, people: added })),
      ...unlessEmpty(allowed, importStatement("allow", { ...inChunk, people: allowed })),
    ],
    names: unlessEmpty(
      renames,
      insertRenamedEvents({ ...entry, renames }),
      renameAccounts({ ...inChunk, renames }),
      renameProfiles({ companyId, renames }),
    ),
    preferences: unlessEmpty(people, insertPreferences({ ...inChunk, people })),
    // People with many accounts and groups could exceed the size of a bound value.
    links: toSlices(links).map((slice) => insertLinks({ ...inChunk, links: slice })),
    groups: unlessEmpty(
      joins,
      ...joinSlices.flatMap((slice) => [
        insertJoinEvents({ ...entry, callerId: caller.userId, ...slice }),
        insertGroupJoins({ companyId, joins: slice.joins }),
      ]),
      recountGroups({ ...inChunk, ids: groupIdsOf(joins) }),
      groupNamesOfAddressesStatement({ companyId, emails: [...new Set(joins.map(({ email }) => email))] }),
    ),
    userEvents: [
      ...unlessEmpty(created, insertCreatedEvents({ ...entry, created })),
      ...unlessEmpty(enabled, insertEnabledEvents({ ...entry, enabled })),
    ],
  };
}
