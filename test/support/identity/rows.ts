import { env } from "cloudflare:test";
import { and, asc, eq, getTableName, like, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  companies,
  company_totals,
  event_log,
  groups,
  identities,
  invitations,
  memberships,
  oauth_clients,
  oauth_redirects,
  personal_access_tokens,
  preferences,
  scim_tokens,
  sessions,
  users,
} from "../../../db/identity/schema";
import { PLATFORM } from "../../../db/kit/webhooks";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { findCounts } from "../../../workers/identity/records/metrics/counts.store";
import { toCounters } from "../../../workers/identity/records/metrics/metrics";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { openDb } from "../../../workers/kit/db/db";
import { type InsertValues, insertSelect } from "../../../workers/kit/db/query";
import { numberOfId } from "../../../workers/kit/webhooks/events/event-key";
import { eventIdAt, numberedEventId } from "../db/event-ids";
import { rowsOf } from "../db/rows";

/** Helpers for rows of identity's database. */
export const { db, runTogether, insertRow, insertRows, readRows, updateRows, deleteRows, countRows } = rowsOf(
  (env as unknown as IdentityBindings).DB,
);

type Company = { id: number };
type User = { id: number };

const HOUR_MS = 3_600_000;

/** Returns a unique origin. */
export const freshOrigin = () => `https://${crypto.randomUUID()}.example.com`;

/** Returns the user with an id, or undefined. */
export async function findUser(id: number) {
  return (await readRows(users, eq(users.id, id)))[0];
}

/** Updates a user. */
export function changeUser(id: number, changes: Partial<typeof users.$inferInsert>): Promise<void> {
  return updateRows(users, changes, eq(users.id, id));
}

/** Updates a company. */
export function changeCompany(id: number, changes: Partial<typeof companies.$inferInsert>): Promise<void> {
  return updateRows(companies, changes, eq(companies.id, id));
}

/** Updates all memberships of a user. */
export function changeMemberships(userId: number, changes: Partial<typeof memberships.$inferInsert>): Promise<void> {
  return updateRows(memberships, changes, eq(memberships.user_id, userId));
}

/** Returns log entries of a company whose type has a prefix, oldest first. */
export function entriesOf(company: number, type = "") {
  const hasType = like(event_log.event_type, `${type}%`);
  return readRows(event_log, and(eq(event_log.company_id, company), hasType), asc(event_log.id));
}

/** Returns the names of tables that contain rows of a user. */
export async function tablesOfUser(id: number): Promise<string[]> {
  const tables = [memberships, sessions, personal_access_tokens, preferences, identities];
  const counts = await Promise.all(tables.map((table) => countRows(table, eq(table.user_id, id))));
  const filledTables = tables.filter((_table, at) => counts[at] !== 0).map(getTableName);
  return (await findUser(id)) === undefined ? filledTables : ["users", ...filledTables];
}

/** Stores an account at a sign-in provider that is linked to a user. */
export async function storeIdentity(
  user: User & { email: string },
  fields: Partial<typeof identities.$inferInsert> = {},
): Promise<void> {
  const id = crypto.randomUUID();
  await insertRow(identities, {
    id,
    user_id: user.id,
    email: user.email,
    provider: "google",
    issuer: "https://accounts.google.com",
    subject: id,
    email_proven: true,
    created_at: 1,
    last_used_at: 1,
    ...fields,
  });
}

type NewMembership = typeof memberships.$inferInsert;

/** Returns a membership row, by default in state allowed. */
export function membershipOf(company: number, user: number, fields: Partial<NewMembership> = {}): NewMembership {
  const key = { company_id: company, user_id: user };
  return { state: "allowed", state_reason: "join_rule", state_at: 1, created_at: 1, ...fields, ...key };
}

/** Stores a membership, by default in state allowed. */
export async function storeMembership(...row: Parameters<typeof membershipOf>): Promise<void> {
  await insertRow(memberships, membershipOf(...row));
}

/** Returns a subquery with the numbers from 1 to `count` in a column `i`. */
const numbers = (count: number) =>
  sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`;

/** Stores `count` allowed members of a company and returns the prefix of their addresses. */
export async function storeMembers(
  company: number,
  count: number,
  last_seen_at: number | null = null,
): Promise<string> {
  const mark = crypto.randomUUID();
  const email = sql`${mark} || i || '@example.com'`;
  const user = { email, username: email, created_at: 1, updated_at: 1 };
  await db.run(insertSelect(users, user, sql`from ${numbers(count)}`));
  const allowedState = {
    state: "allowed",
    state_reason: "join_rule",
    state_at: 1,
    last_seen_at,
    created_at: 1,
  } as const;
  const membership = { company_id: company, user_id: users.id, ...allowedState };
  const testUsers = sql`from ${numbers(count)} cross join ${users} on ${users.email} = ${email}`;
  await db.run(insertSelect(memberships, membership, testUsers));
  return mark;
}

/** Stores `count` log entries of a company; values may be SQL expressions of the number `i`, from 1. */
export async function storeEntries(
  company: number,
  count: number,
  entry: Omit<InsertValues<typeof event_log>, "id" | "company_id" | "data">,
): Promise<void> {
  const id = numberedEventId(sql`${entry.created_at}`, sql`i`);
  await db.run(insertSelect(event_log, { id, company_id: company, data: "{}", ...entry }, sql`from ${numbers(count)}`));
}

/** Stores a log entry of a company, or a platform event for null, and returns its integer id in the API. */
export async function storeEntry(
  company: number | null,
  entry: Partial<typeof event_log.$inferInsert> & { created_at: number },
): Promise<number> {
  const id = eventIdAt(entry.created_at);
  const row = { id, company_id: company ?? PLATFORM, event_type: "identity.user.updated", data: "{}", ...entry };
  return numberOfId((await insertRow(event_log, row)).id);
}

/** Returns the row of an origin of the redirect allowlist. */
export const redirectOf = (company: Company, base_url: string) => ({
  id: crypto.randomUUID(),
  company_id: company.id,
  base_url,
  created_at: 1,
});

/** Stores an origin of the redirect allowlist, by default a new one, and returns its id. */
export async function storeRedirect(company: Company, base_url = freshOrigin()): Promise<string> {
  return (await insertRow(oauth_redirects, redirectOf(company, base_url))).id;
}

/** Stores a group without members, with a new name, and returns its id. */
export async function storeGroup(company: Company): Promise<string> {
  const id = crypto.randomUUID();
  await insertRow(groups, {
    id,
    company_id: company.id,
    source: "admin",
    display_name: `Group ${id}`,
    name_key: `group ${id}`,
    revision: id,
    created_at: 1,
    updated_at: 1,
  });
  return id;
}

/** Stores an invitation of a new address, by default an open one without a mail, and returns its id. */
export async function storeInvitation(
  company: Company,
  fields: Partial<typeof invitations.$inferInsert> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await insertRow(invitations, {
    id,
    company_id: company.id,
    email: `${id}@example.com`,
    language: "en",
    app_url: "https://app.example.com/login",
    token_hash: id,
    status: "pending",
    created_at: 2,
    expires_at: Date.now() + HOUR_MS,
    ...fields,
  });
  return id;
}

/** Stores a SCIM token, by default a live one, and returns it with its id. */
export async function storeScimToken(
  company: { id: number },
  fields: Partial<typeof scim_tokens.$inferInsert> = {},
): Promise<{ id: string; token: string }> {
  const id = crypto.randomUUID();
  const token = `pst_${id.replaceAll("-", "")}${"x".repeat(11)}`;
  await insertRow(scim_tokens, {
    id,
    company_id: company.id,
    token_hash: await sha256Hex(token),
    token_prefix: token.slice(0, 12),
    created_at: 1,
    ...fields,
  });
  return { id, token };
}

/** Stores an OAuth client and returns its id. */
export async function storeClient(company: Company): Promise<string> {
  const id = crypto.randomUUID();
  await insertRow(oauth_clients, {
    id,
    company_id: company.id,
    provider: "oidc",
    provider_id: `oidc-${id.slice(0, 8)}`,
    client_id: "client",
    config: { issuer: "https://id.acme.example" },
    created_at: 1,
    updated_at: 1,
  });
  return id;
}

/** Stores a personal access token of a user, by default valid for an hour. */
export async function storePatRow(
  company: number,
  user: number,
  fields: Partial<typeof personal_access_tokens.$inferInsert> = {},
) {
  const id = crypto.randomUUID();
  return insertRow(personal_access_tokens, {
    id,
    company_id: company,
    user_id: user,
    jti: id.replaceAll("-", ""),
    created_at: 1,
    expires_at: Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS,
    ...fields,
  });
}

/** Stores a personal access token of the user and returns its id. */
export async function storePat(company: Company, user: User): Promise<string> {
  return (await storePatRow(company.id, user.id, { name: "Report" })).id;
}

/** Stores a session of the user and returns its id. */
export async function storeSession(company: Company, user: User): Promise<string> {
  const id = crypto.randomUUID();
  const end = Date.now() + HOUR_MS;
  await insertRow(sessions, {
    id,
    user_id: user.id,
    company_id: company.id,
    provider: "magic_link",
    auth_time: 1,
    rotated_at: 1,
    idle_expires_at: end,
    absolute_expires_at: end,
    created_at: 1,
  });
  return id;
}

/** Returns the event of a sign-in to the company. */
export async function loginEventOf(company: Company): Promise<string> {
  const type = "identity.auth.login.succeeded";
  const [event] = await readRows(event_log, and(eq(event_log.company_id, company.id), eq(event_log.event_type, type)));
  if (!event) throw new Error("nobody signed in to the company");
  return String(numberOfId(event.id));
}

type CompanyTable = SQLiteTable & { company_id: AnySQLiteColumn };

/** Returns the rows of a company in a table, by default ordered by the table's first two columns. */
export function rowsOfCompany<T extends CompanyTable>(table: T, company: number, ...order: SQL[]) {
  return readRows(table, eq(table.company_id, company), ...(order.length > 0 ? order : [sql`1`, sql`2`]));
}

/** Updates all rows of a company in a table. */
export function changeRowsOfCompany<T extends CompanyTable>(
  table: T,
  company: number,
  changes: Partial<T["$inferInsert"]>,
) {
  return updateRows(table, changes, eq(table.company_id, company));
}

/** Returns the user with an address, or undefined. */
export async function findUserByEmail(email: string) {
  return (await readRows(users, eq(users.email, email)))[0];
}

/** Updates the user with an address. */
export function changeUserByEmail(email: string, changes: Partial<typeof users.$inferInsert>): Promise<void> {
  return updateRows(users, changes, eq(users.email, email));
}

/** Updates the membership of the user with an address. */
export async function changeMembership(
  company: number,
  email: string,
  changes: Partial<typeof memberships.$inferInsert>,
): Promise<void> {
  const { id } = (await findUserByEmail(email)) ?? { id: 0 };
  await updateRows(memberships, changes, and(eq(memberships.company_id, company), eq(memberships.user_id, id)));
}

/** Returns the accounts at sign-in providers that are linked to a user. */
export function identitiesOf(user: number) {
  return readRows(identities, eq(identities.user_id, user));
}

/** Updates an OAuth client. */
export function changeClient(id: string, changes: Partial<typeof oauth_clients.$inferInsert>): Promise<void> {
  return updateRows(oauth_clients, changes, eq(oauth_clients.id, id));
}

/** Returns the counters of a company as the metrics report them, by name prefix. */
export async function totalsOf(company: number, namePrefix = "") {
  const { DB } = env as unknown as IdentityBindings;
  const counters = toCounters(await openDb(DB).all(findCounts({ companyId: company })));
  return counters
    .filter(({ name }) => name.startsWith(namePrefix))
    .map(({ name, label, value }) => ({ name, label, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Stores the counters of a company, by `name` or `name:label`. */
export async function storeCounts(company: number, counts: Record<string, number>): Promise<void> {
  await updateRows(company_totals, { counts }, eq(company_totals.company_id, company));
}

/** Returns the rows of every table as JSON, with one string per table. */
export async function textOfTables(): Promise<string[]> {
  const isTable = sql`type = 'table' and name not like '\\_cf%' escape '\\'`;
  const tables = await db.all<{ name: string }>(sql`select name from sqlite_master where ${isTable}`);
  return Promise.all(
    tables.map(async ({ name }) => JSON.stringify(await db.all(sql`select * from ${sql.identifier(name)}`))),
  );
}
