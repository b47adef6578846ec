// Imports the schema without file extensions, as the Workers do. Import this file with loadModule of load.ts.
import { eq, type SQL, sql } from "drizzle-orm";
import { service_clients } from "../../../db/email/schema";
import { hosting_access } from "../../../db/hosting/schema";
import { companies, memberships, oauth_redirects, users } from "../../../db/identity/schema";
import { sha256Hex } from "../../../workers/kit/crypto/hash";
import { createDialect } from "../../../workers/kit/db/dialect";
import { columnName, insertSelect, queryBuilder } from "../../../workers/kit/db/query";
import { perService, type Service } from "../services";
import type { Seed, SeedUser } from "./seed";

/** Returns a statement as SQL with inlined values. */
const toText = (statement: SQL): string => createDialect().sqlToQuery(statement.inlineParams()).sql;

/** Returns the statements that store the first rows, as SQL. */
export async function statementsOf(seed: Seed): Promise<Record<Service, string[]>> {
  const now = Date.now();
  const times = { created_at: now, updated_at: now };
  const { company, origins, serviceKeys, hostsApps } = seed;
  const redirects = origins.map((base_url) => ({ id: crypto.randomUUID(), company_id: 1, base_url, created_at: now }));
  const identity = [
    queryBuilder
      .insert(companies)
      .values({ id: 1, ...company, ...times })
      .onConflictDoNothing()
      .getSQL(),
    ...seed.users.flatMap((user) => userStatements(user, now)),
    ...redirects.map((redirect) =>
      queryBuilder.insert(oauth_redirects).values(redirect).onConflictDoNothing().getSQL(),
    ),
  ];
  const email = await Promise.all(
    Object.entries(serviceKeys).map(([service, key]) =>
      keyStatement(service, key, service === "identity" ? ["auth", "transactional"] : ["transactional"], now),
    ),
  );
  const approval = { company_id: 1, status: "approved", reviewed_at: now, notes: "" } as const;
  const hosting = hostsApps
    ? [queryBuilder.insert(hosting_access).values(approval).onConflictDoNothing().getSQL()]
    : [];
  return {
    ...perService((): string[] => []),
    identity: identity.map(toText),
    email: email.map(toText),
    hosting: hosting.map(toText),
  };
}

/** Returns the statements for a user and their membership of company 1. */
function userStatements({ email, firstName, isOwner, isStaff }: SeedUser, now: number): SQL[] {
  const times = { created_at: now, updated_at: now };
  const account = { email, username: email, first_name: firstName, is_staff: isStaff, ...times };
  const access = { state: "allowed", state_reason: "admin", state_at: now } as const;
  const membership = { company_id: 1, user_id: users.id, ...access, is_owner: isOwner, created_at: now };
  return [
    queryBuilder.insert(users).values(account).onConflictDoNothing().getSQL(),
    sql`${insertSelect(memberships, membership, sql`from ${users} where ${eq(users.email, email)}`)} on conflict do nothing`,
  ];
}

/**
 * Returns the statement that stores the first key of a service. If the key exists, the statement replaces its hash. Keys
 * that staff created remain.
 */
async function keyStatement(service: string, key: string, lanes: string[], now: number): Promise<SQL> {
  const name = "first key";
  const { id, service: serviceColumn, name: nameColumn } = service_clients;
  const existingId = sql`(select ${id} from ${service_clients} where ${serviceColumn} = ${service} and ${nameColumn} = ${name} order by ${id} limit 1)`;
  const secret = { key_prefix: key.slice(0, 12), key_hash: await sha256Hex(key) };
  const limits = { allowed_lanes: lanes, allowed_template_prefixes: [`${service}.`] };
  return queryBuilder
    .insert(service_clients)
    .values({
      id: existingId,
      service,
      name,
      ...secret,
      ...limits,
      seal_id: crypto.randomUUID(),
      created_at: now,
    } as never)
    .onConflictDoUpdate({ target: columnName(id) as never, set: secret })
    .getSQL();
}
