import { sha256Hex } from "../../kit/crypto/hash";
import { randomHex, randomToken, uuid } from "../../kit/crypto/random";
import { CommandRefusal } from "../../kit/management/stream";
import type { IdentityServices } from "../services";
import { deletePatsOfStranger, deleteSessionsOfStranger } from "../store/memberships";
import {
  admitStaff,
  createAccount,
  endLinksOfStaff,
  findAccount,
  findMembershipsOfAccount,
  grantStaff,
  leaveOtherCompanies,
  revokeStaff,
} from "../store/operator";
import { type CompanyRow, findCompany, findOldestOrigin } from "../store/people";
import { insertSignInRequest } from "../store/sign-in-requests";
import { usernameCandidates } from "./join";

type Account = { id: number; is_active: number; is_staff: number };

/** A person in a company, and a link that signs them in once. */
export type OperatorResult = { companyId: number; userId: number | null; link: string };

/** The account that is made staff: a member of that company only, its open links ended (details 5, 13). */
export async function createStaff(
  services: IdentityServices,
  email: string,
  companyId: number,
): Promise<OperatorResult> {
  const { db, clock } = services;
  await requireCompany(services, companyId);
  const now = clock.now();
  const memberships = await db.all<{ company_id: number; is_last: number }>(findMembershipsOfAccount.bind(db, email));
  const others = memberships.filter(({ company_id }) => company_id !== companyId);
  const userId = (await db.first<Account>(findAccount.bind(db, email)))?.id ?? null;
  const results = await db.batch<unknown[]>([
    createAccount.bind(db, email, now, ...usernameCandidates(email, randomHex(6))),
    leaveOtherCompanies.bind(db, email, companyId),
    ...others.flatMap(({ company_id }) => [
      deleteSessionsOfStranger.bind(db, company_id, userId),
      deletePatsOfStranger.bind(db, company_id, userId),
    ]),
    grantStaff.bind(db, email, companyId, now),
    admitStaff.bind(db, email, companyId, now),
    endLinksOfStaff.bind(db, email, now),
    findAccount.bind(db, email),
  ]);
  const account = results.at(-1)?.results[0] as Account | undefined;
  if (account?.is_staff !== 1) {
    const last = others.find(({ is_last }) => is_last === 1);
    if (last) throw new CommandRefusal(`company ${last.company_id} would lose its last owner`);
    throw new CommandRefusal(
      account?.is_active === 0 ? "the account is inactive" : "the account has just joined a company",
    );
  }
  return { companyId, userId: account.id, link: await makeLink(services, email, companyId) };
}

/** Takes staff status; what the person may do ends with the next call, since roles are read live. */
export async function removeStaff(services: IdentityServices, email: string): Promise<number> {
  const { db, clock } = services;
  const row = await db.first<{ id: number }>(revokeStaff.bind(db, email, clock.now()));
  if (!row) throw new CommandRefusal("no staff account has this email");
  return row.id;
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
  const [, , account] = await db.batch<[unknown, unknown, Account]>([
    admitStaff.bind(db, email, companyId, now),
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

/** A normal sign-in request without typed code, back to the company's oldest origin (details 13). */
export async function makeLink(services: IdentityServices, email: string, companyId: number): Promise<string> {
  const { db, clock, settings } = services;
  const origin = await db.first<{ base_url: string }>(findOldestOrigin.bind(db, companyId));
  if (!origin) throw new CommandRefusal(`company ${companyId} has no redirect origin`);
  const token = randomToken();
  const now = clock.now();
  await db.run(
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
  );
  return `${settings.issuer}/api/v1/magic-link/verify?token=${token}&company_id=${companyId}`;
}
