import { transitions } from "../../../../db/identity/conditions/transitions";
import type { StaffMember } from "../../../../schemas/rpc";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { CommandRefusal } from "../../../kit/management/stream";
import { selectCompany } from "../../company/company/company";
import { leaveStatements, selectMembershipsOfAccount, staffAdmission } from "../../company/memberships/membership";
import { userCreatedEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { makeSignInLink } from "./sign-in-link";
import {
  createAccount,
  endCodesBeforeGrant,
  endLinksOfStaff,
  endPatsBeforeGrant,
  endSessionsBeforeGrant,
  findAccount,
  findActiveStaff,
  grantStaff,
  insertCommandEvents,
  revokeStaff,
} from "./staff.store";

/** Returns the active staff, at most 50, with the languages that they have chosen. */
export function listStaff({ db }: Pick<IdentityServices, "db">): Promise<StaffMember[]> {
  return db.all(findActiveStaff());
}

/** A user and their company, and a link that signs the user in once. */
export type OperatorResult = { companyId: number; userId: number | null; link: string };

/**
 * Makes an account staff and a member of this company only; creates the account if there is none. Ends its open links and its
 * older sessions, tokens and codes. All changes and their events are one batch. Throws CommandRefusal when another company
 * would lose its last owner, the account is inactive, or the account joined another company meanwhile.
 */
export async function createStaff(
  services: IdentityServices,
  email: string,
  companyId: number,
): Promise<OperatorResult> {
  const { db, clock } = services;
  await requireCompany(services, companyId);
  const now = clock.now();
  const memberships = await db.all(selectMembershipsOfAccount(email));
  const others = memberships.filter(({ company_id }) => company_id !== companyId);
  const last = others.find(({ is_last }) => is_last);
  if (last) throw new CommandRefusal(`company ${last.company_id} would lose its last owner`);
  const userId = (await db.first(findAccount({ email })))?.id ?? null;
  const inCompany = { email, companyId };
  const key = { ...inCompany, now };
  const entries = (companies: { company_id: number }[], type: CommandEvent, fields: string[]) =>
    commandEntries(services, email, companies, type, fields);
  const leaving = { email, userId, companyId, others: others.map(({ company_id }) => company_id) };
  const { account } = await db.batch({
    created: createAccount({ email, now, ...newUsernames(email) }),
    ...leaveStatements(services, leaving, entries(others, transitions.leaveForStaff.event, [])),
    ended: [endSessionsBeforeGrant(key), endPatsBeforeGrant(key), endCodesBeforeGrant(key)],
    granted: followedBy(grantStaff(key), entries([{ company_id: companyId }], "identity.user.updated", ["is_staff"])),
    // A new account gets only its creation event.
    admitted:
      userId === null
        ? staffAdmission(key)
        : followedBy(staffAdmission(key), admissionEntry(services, email, companyId)),
    createdEntry: userCreatedEntry({ eventId: services.newEventId(), email, companyId, source: "command", now }),
    links: endLinksOfStaff({ email, now }),
    account: findAccount({ email }),
  });
  const { first } = account;
  if (!first?.is_staff) {
    throw new CommandRefusal(
      first?.is_active === false ? "the account is inactive" : "the account has just joined a company",
    );
  }
  return { companyId, userId: first.id, link: await makeSignInLink(services, email, companyId) };
}

/** Revokes staff status and returns the user id. The change takes effect at the next request, because roles are read live. */
export async function removeStaff(services: IdentityServices, email: string): Promise<number> {
  const { db, clock } = services;
  const memberships = await db.all(selectMembershipsOfAccount(email));
  const entries = commandEntries(services, email, memberships, "identity.user.updated", ["is_staff"]);
  const revoked = await db.first(followedBy(revokeStaff({ email, now: clock.now() }), entries));
  if (!revoked) throw new CommandRefusal("no staff account has this email");
  return revoked.id;
}

type CommandEvent = "identity.user.updated" | "identity.user.deleted";

/** Returns the statement that inserts one event per company about the change that the statement directly before it made. */
function commandEntries(
  { clock, newEventId }: IdentityServices,
  email: string,
  companies: { company_id: number }[],
  type: CommandEvent,
  changedFields: string[],
): Bound {
  const rows = companies.map(({ company_id }) => ({ company_id, event_id: newEventId() }));
  const details = changedFields.length === 0 ? {} : { changed_fields: changedFields };
  return insertCommandEvents({ email, companies: rows, type, details, now: clock.now() });
}

function admissionEntry(services: IdentityServices, email: string, companyId: number): Bound {
  const fields = ["is_active", "access_state"];
  return commandEntries(services, email, [{ company_id: companyId }], transitions.admitStaff.event, fields);
}

/** Creates a sign-in link for an address. If the address belongs to a staff account, also makes it a member of the company. */
export async function createSignInLink(
  services: IdentityServices,
  email: string,
  companyId: number,
): Promise<OperatorResult> {
  const { db, clock } = services;
  await requireCompany(services, companyId);
  const now = clock.now();
  const { account } = await db.batch({
    admitted: followedBy(staffAdmission({ email, companyId, now }), admissionEntry(services, email, companyId)),
    links: endLinksOfStaff({ email, now }),
    account: findAccount({ email }),
  });
  const userId = account.first?.id ?? null;
  return { companyId, userId, link: await makeSignInLink(services, email, companyId) };
}

/** Ends the open links of an address if it belongs to a staff account. */
export async function endLinks({ db, clock }: IdentityServices, email: string): Promise<void> {
  await db.run(endLinksOfStaff({ email, now: clock.now() }));
}

async function requireCompany({ db }: IdentityServices, companyId: number): Promise<void> {
  const company = await db.first(selectCompany(companyId));
  if (!company) throw new CommandRefusal(`there is no company ${companyId}`);
  if (!company.is_active) throw new CommandRefusal(`company ${companyId} is not active`);
}
