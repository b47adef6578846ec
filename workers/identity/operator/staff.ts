import type { IdentityEventType } from "../../../schemas/identity/events";
import { sha256Hex } from "../../kit/crypto/hash";
import { randomHex, randomToken, uuid } from "../../kit/crypto/random";
import { CommandRefusal } from "../../kit/management/stream";
import { type CompanyRow, findCompany, findOldestOrigin } from "../account/person.store";
import { insertEvent, insertUserCreatedEvent } from "../audit/event-log.store";
import { insertSignInRequest } from "../magic-link/magic-link.store";
import { deletePatsOfStranger, deleteSessionsOfStranger } from "../members/membership.store";
import type { IdentityServices } from "../services";
import { usernameCandidates } from "../sign-in/join";
import {
  admitStaff,
  createAccount,
  endCodesBeforeGrant,
  endLinksOfStaff,
  endPatsBeforeGrant,
  endSessionsBeforeGrant,
  findAccount,
  findMembershipsOfAccount,
  grantStaff,
  insertCommandEvents,
  leaveOtherCompanies,
  revokeStaff,
} from "./staff.store";

type Account = { id: number; is_active: number; is_staff: number };

/** A person in a company, and a link that signs them in once. */
export type OperatorResult = { companyId: number; userId: number | null; link: string };

/**
 * The account that is made staff: a member of that company only, its open links ended, and with the grant the sessions
 * and tokens from before it (details 5, 13). The events are rows of the same batch.
 */
export async function createStaff(
  services: IdentityServices,
  email: string,
  companyId: number,
): Promise<OperatorResult> {
  const { db, clock } = services;
  await requireCompany(services, companyId);
  const now = clock.now();
  const others = (await findMemberships(services, email)).filter(({ company_id }) => company_id !== companyId);
  const last = others.find(({ is_last }) => is_last === 1);
  if (last) throw new CommandRefusal(`company ${last.company_id} would lose its last owner`);
  const userId = (await db.first<Account>(findAccount.bind(db, email)))?.id ?? null;
  const results = await db.batch<unknown[]>([
    createAccount.bind(db, email, now, ...usernameCandidates(email, randomHex(6))),
    leaveOtherCompanies.bind(db, email, companyId),
    noteCommand(services, email, others, "identity.user.deleted", []),
    ...others.flatMap(({ company_id }) => [
      deleteSessionsOfStranger.bind(db, company_id, userId),
      deletePatsOfStranger.bind(db, company_id, userId),
    ]),
    endSessionsBeforeGrant.bind(db, email, companyId, now),
    endPatsBeforeGrant.bind(db, email, companyId, now),
    endCodesBeforeGrant.bind(db, email, companyId, now),
    grantStaff.bind(db, email, companyId, now),
    noteCommand(services, email, [{ company_id: companyId }], "identity.user.updated", ["is_staff"]),
    admitStaff.bind(db, email, companyId, now),
    // A new account is told of by its creation alone.
    ...(userId === null ? [] : [noteAdmission(services, email, companyId)]),
    insertUserCreatedEvent.bind(db, email, companyId, uuid(), now, "command", "{}"),
    endLinksOfStaff.bind(db, email, now),
    findAccount.bind(db, email),
  ]);
  const account = results.at(-1)?.results[0] as Account | undefined;
  if (account?.is_staff !== 1) {
    throw new CommandRefusal(
      account?.is_active === 0 ? "the account is inactive" : "the account has just joined a company",
    );
  }
  return { companyId, userId: account.id, link: await makeLink(services, email, companyId) };
}

/** Takes staff status; what the person may do ends with the next call, since roles are read live. */
export async function removeStaff(services: IdentityServices, email: string): Promise<number> {
  const { db, clock } = services;
  const memberships = await findMemberships(services, email);
  const [revoked] = await db.batch<[{ id: number }, unknown]>([
    revokeStaff.bind(db, email, clock.now()),
    noteCommand(services, email, memberships, "identity.user.updated", ["is_staff"]),
  ]);
  const row = revoked.results[0];
  if (!row) throw new CommandRefusal("no staff account has this email");
  return row.id;
}

function findMemberships({ db }: IdentityServices, email: string) {
  return db.all<{ company_id: number; is_last: number }>(findMembershipsOfAccount.bind(db, email));
}

/** The event of each company about what the statement right before it did to an account. */
function noteCommand(
  { db, clock }: IdentityServices,
  email: string,
  companies: { company_id: number }[],
  type: "identity.user.updated" | "identity.user.deleted",
  changedFields: string[],
): D1PreparedStatement {
  const rows = companies.map(({ company_id }) => ({ company_id, event_id: uuid() }));
  const more = changedFields.length === 0 ? {} : { changed_fields: changedFields };
  return insertCommandEvents.bind(db, email, JSON.stringify(rows), type, JSON.stringify(more), clock.now());
}

function noteAdmission(services: IdentityServices, email: string, companyId: number): D1PreparedStatement {
  const fields = ["is_active", "access_state"];
  return noteCommand(services, email, [{ company_id: companyId }], "identity.user.updated", fields);
}

/** A link for an address; a staff account is let into the company by it (details 5). */
export async function createSignInLink(
  services: IdentityServices,
  email: string,
  companyId: number,
): Promise<OperatorResult> {
  const { db, clock } = services;
  await requireCompany(services, companyId);
  const now = clock.now();
  const [, , , account] = await db.batch<[unknown, unknown, unknown, Account]>([
    admitStaff.bind(db, email, companyId, now),
    noteAdmission(services, email, companyId),
    endLinksOfStaff.bind(db, email, now),
    findAccount.bind(db, email),
  ]);
  const userId = account.results[0]?.id ?? null;
  return { companyId, userId, link: await makeLink(services, email, companyId) };
}

async function requireCompany(services: IdentityServices, companyId: number): Promise<void> {
  const { db } = services;
  const company = await db.first<CompanyRow>(findCompany.bind(db, companyId));
  if (!company) throw new CommandRefusal(`there is no company ${companyId}`);
  if (company.is_active !== 1) throw new CommandRefusal(`company ${companyId} is not active`);
}

/** A normal sign-in request without typed code, back to the company's oldest origin (details 13), and its audit entry. */
export async function makeLink(services: IdentityServices, email: string, companyId: number): Promise<string> {
  const { db, clock, settings } = services;
  const origin = await db.first<{ base_url: string }>(findOldestOrigin.bind(db, companyId));
  if (!origin) throw new CommandRefusal(`company ${companyId} has no redirect origin`);
  const token = randomToken();
  const now = clock.now();
  const type: IdentityEventType = "identity.auth.sign_in_link.created";
  const actor = JSON.stringify({ kind: "system" });
  const noOutcome = [null, null, null, null, null, null] as const;
  await db.batch([
    insertSignInRequest.bind(
      db,
      uuid(),
      companyId,
      null,
      email,
      await sha256Hex(token),
      null,
      `${origin.base_url}/login/callback`,
      settings.tokenDelivery,
      null,
      "en",
      "",
      null,
      now,
      now + settings.magicLinkMs,
    ),
    insertEvent.bind(db, uuid(), companyId, type, null, email, "{}", actor, ...noOutcome, now),
  ]);
  return `${settings.issuer}/api/v1/magic-link/verify?token=${token}&company_id=${companyId}`;
}
