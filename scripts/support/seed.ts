import { createHash } from "node:crypto";

/** One SQL statement a line, repeatable: the demo company, its people, and identity's key for the email service. */
export function seedStatements(serviceKey: string): { identity: string[]; email: string[] } {
  const now = Date.now();
  const hash = createHash("sha256").update(serviceKey).digest("hex");
  const user = (id: number, email: string, firstName: string, isStaff: 0 | 1) =>
    `INSERT OR IGNORE INTO users (id, email, username, first_name, is_staff, created_at, updated_at)
      VALUES (${id}, '${email}', '${email}', '${firstName}', ${isStaff}, ${now}, ${now})`;
  const membership = (userId: number, isOwner: 0 | 1) =>
    `INSERT OR IGNORE INTO memberships (company_id, user_id, state, state_reason, state_at, is_owner, created_at)
      VALUES (1, ${userId}, 'allowed', 'admin', ${now}, ${isOwner}, ${now})`;
  return {
    identity: [
      `INSERT OR IGNORE INTO companies (id, name, slug, created_at, updated_at) VALUES (1, 'Demo', 'demo', ${now}, ${now})`,
      user(1, "owner@example.com", "Olivia", 0),
      user(2, "staff@example.com", "Sam", 1),
      membership(1, 1),
      membership(2, 0),
    ],
    email: [
      // Secrets that were made again replace the stored key.
      `INSERT INTO service_clients (id, service, name, key_prefix, key_hash, allowed_lanes, allowed_template_prefixes,
        seal_id, created_at)
        VALUES (1, 'identity', 'development', '${serviceKey.slice(0, 12)}', '${hash}', '["auth","transactional"]',
        '["identity."]', '${crypto.randomUUID()}', ${now})
        ON CONFLICT (id) DO UPDATE SET key_prefix = excluded.key_prefix, key_hash = excluded.key_hash`,
    ],
  };
}
