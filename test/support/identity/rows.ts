import type { Person } from "./admin";
import { rows } from "./identity";

type Company = { id: number };

/** An origin of its own. */
export const freshOrigin = () => `https://${crypto.randomUUID()}.example.com`;

/** Stores an origin of the redirect allowlist; answers its id. */
export async function storeRedirect(company: Company): Promise<string> {
  const id = crypto.randomUUID();
  const insert = "INSERT INTO oauth_redirects (id, company_id, base_url, created_at) VALUES (?, ?, ?, 1)";
  await rows(insert, id, company.id, freshOrigin());
  return id;
}

/** Stores a client of a sign-in provider; answers its id. */
export async function storeClient(company: Company): Promise<string> {
  const id = crypto.randomUUID();
  await rows(
    `INSERT INTO oauth_clients (id, company_id, provider, provider_id, client_id, config, created_at, updated_at)
     VALUES (?, ?, 'oidc', ?, 'client', '{"issuer":"https://id.acme.example"}', 1, 1)`,
    ...[id, company.id, `oidc-${id.slice(0, 8)}`],
  );
  return id;
}

/** Stores a personal access token of the person; answers its id. */
export async function storePat(company: Company, person: Person): Promise<string> {
  const id = crypto.randomUUID();
  await rows(
    `INSERT INTO personal_access_tokens (id, company_id, user_id, jti, name, created_at, expires_at)
     VALUES (?, ?, ?, ?, 'Report', 1, ?)`,
    ...[id, company.id, person.id, id.replaceAll("-", ""), Date.now() + 3_600_000],
  );
  return id;
}

/** Stores a session of the person; answers its id. */
export async function storeSession(company: Company, person: Person): Promise<string> {
  const id = crypto.randomUUID();
  const end = Date.now() + 3_600_000;
  await rows(
    `INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at,
       absolute_expires_at, user_agent, created_at) VALUES (?, ?, ?, 'magic_link', 1, 1, ?, ?, '', 1)`,
    ...[id, person.id, company.id, end, end],
  );
  return id;
}

/** A sign-in to the company, as the event log has it. */
export async function loginEventOf(company: Company): Promise<string> {
  const sql = "SELECT id FROM event_log WHERE company_id = ? AND event_type = 'identity.auth.login.succeeded' LIMIT 1";
  const [event] = await rows<{ id: number }>(sql, company.id);
  if (!event) throw new Error("nobody signed in to the company");
  return String(event.id);
}
