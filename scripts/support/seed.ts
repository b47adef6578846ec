import { createHash, randomUUID } from "node:crypto";
import type { Service } from "./services.ts";

export type Person = { email: string; firstName: string; isOwner: boolean; isStaff: boolean };
export type Seed = {
  /** plaintext keys by which services call the email service */
  serviceKeys: { identity: string; hosting: string };
  company: { name: string; slug: string };
  people: Person[];
  /** redirect allowlist; in development the edge, where the commands' sign-in links lead */
  origins: string[];
};

/** What a development start and the tests begin with. */
export const demo: Omit<Seed, "serviceKeys" | "origins"> = {
  company: { name: "Demo", slug: "demo" },
  people: [
    { email: "owner@example.com", firstName: "Olivia", isOwner: true, isStaff: false },
    { email: "staff@example.com", firstName: "Sam", isOwner: false, isStaff: true },
  ],
};

/**
 * SQL of the first rows: company 1, its people, and the services' keys for the email service. Repeatable: what is there
 * stays, only the keys are replaced, so that secrets that were made again fit.
 */
export function seedStatements(seed: Seed): Record<Service, string[]> {
  const now = Date.now();
  const people = seed.people.flatMap(({ email, firstName, isOwner, isStaff }) => [
    `INSERT INTO users (email, username, first_name, is_staff, created_at, updated_at)
      VALUES (${quote(email)}, ${quote(email)}, ${quote(firstName)}, ${Number(isStaff)}, ${now}, ${now})
      ON CONFLICT DO NOTHING`,
    `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, is_owner, created_at)
      SELECT 1, id, 'allowed', 'admin', ${now}, ${Number(isOwner)}, ${now} FROM users WHERE email = ${quote(email)}
      ON CONFLICT DO NOTHING`,
  ]);
  return {
    identity: [
      `INSERT INTO companies (id, name, slug, created_at, updated_at)
        VALUES (1, ${quote(seed.company.name)}, ${quote(seed.company.slug)}, ${now}, ${now}) ON CONFLICT DO NOTHING`,
      ...people,
      ...seed.origins.map(
        (origin) => `INSERT INTO oauth_redirects (id, company_id, base_url, created_at)
        VALUES (${quote(randomUUID())}, 1, ${quote(origin)}, ${now}) ON CONFLICT DO NOTHING`,
      ),
    ],
    email: [
      insertKey("identity", seed.serviceKeys.identity, ["auth", "transactional"], now),
      insertKey("hosting", seed.serviceKeys.hosting, ["transactional"], now),
    ],
    hosting: [],
  };
}

/** The first key of a service; a later start replaces its hash, and leaves the keys that staff made alone. */
function insertKey(service: string, key: string, lanes: string[], now: number): string {
  const hash = createHash("sha256").update(key).digest("hex");
  return `INSERT INTO service_clients (id, service, name, key_prefix, key_hash, allowed_lanes, allowed_template_prefixes,
      seal_id, created_at)
    VALUES ((SELECT id FROM service_clients WHERE service = ${quote(service)} AND name = 'first key' ORDER BY id LIMIT 1),
      ${quote(service)}, 'first key', ${quote(key.slice(0, 12))}, ${quote(hash)}, ${quote(JSON.stringify(lanes))},
      ${quote(JSON.stringify([`${service}.`]))}, ${quote(randomUUID())}, ${now})
    ON CONFLICT (id) DO UPDATE SET key_prefix = excluded.key_prefix, key_hash = excluded.key_hash`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
