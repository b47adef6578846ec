import type { sign_in_requests } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { personColumns } from "./people";

export type SignInRequestRow = typeof sign_in_requests.$inferSelect;

/** (id, company, user?, email, token hash, code hash?, redirect, delivery, challenge?, language, zone, device?, now, expiry) */
export const insertSignInRequest = sql(
  `INSERT INTO sign_in_requests (id, company_id, user_id, email, token_hash, code_hash, redirect_to, token_delivery,
     code_challenge, language, client_timezone, device_hash, created_at, expires_at)
   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT DO NOTHING`,
);

/** (company, token hash): the request of a link, live or not. */
export const findSignInRequest = sql("SELECT * FROM sign_in_requests WHERE token_hash = ?2 AND company_id = ?1");

/** (company, token hash): the person whom the link of that hash addresses. */
export const findPersonOfRequest = sql(
  `SELECT ${personColumns} FROM sign_in_requests r JOIN users u ON u.email = r.email
   LEFT JOIN memberships m ON m.company_id = ?1 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id WHERE r.token_hash = ?2 AND r.company_id = ?1`,
);

/** (company, token hash): active allowlist origins that the link's redirect begins with. */
export const findOriginsOfRequest = sql(
  `SELECT o.base_url FROM sign_in_requests r JOIN oauth_redirects o ON o.company_id = r.company_id AND o.is_active = 1
   WHERE r.token_hash = ?2 AND r.company_id = ?1 AND instr(r.redirect_to, o.base_url) = 1`,
);

/** (company, email, now): counts a try of a typed code on every live request of the address, and answers those rows. */
export const countCodeTry = sql(
  `UPDATE sign_in_requests SET code_tries = code_tries + 1
   WHERE company_id = ?1 AND email = ?2 AND expires_at > ?3 AND consumed_at IS NULL AND code_tries < 5
   RETURNING *`,
);

/**
 * (id, company, email, now, nonce): spends the request (details 2.5). What was decided on the rows read before is asked
 * again here, so that a disabled member or company cannot slip through between reading and spending.
 */
export const consumeSignInRequest = sql(
  `UPDATE sign_in_requests SET consumed_at = ?4, consume_nonce = ?5
   WHERE id = ?1 AND company_id = ?2 AND consumed_at IS NULL AND expires_at > ?4
     AND EXISTS (SELECT 1 FROM companies c WHERE c.id = ?2 AND c.is_active = 1 AND c.enable_magic_link = 1)
     AND NOT EXISTS (SELECT 1 FROM users u WHERE u.email = ?3 AND u.is_active = 0)
     AND NOT EXISTS (SELECT 1 FROM users u JOIN memberships m ON m.company_id = ?2 AND m.user_id = u.id
       WHERE u.email = ?3 AND m.state <> 'allowed' AND m.state_reason <> 'join_rule')
   RETURNING id`,
);

// Every statement below belongs to the batch that consumeSignInRequest opens: without its nonce it changes nothing.
const won = "EXISTS (SELECT 1 FROM sign_in_requests r WHERE r.id = ?1 AND r.consume_nonce = ?2)";

/**
 * (id, nonce, email, now, username candidates 1 to 4): the account of a new address. The last candidate is random.
 * The first proof of the address is this one, so it is stored as verified.
 */
export const createConsumedUser = sql(
  `INSERT INTO users (email, email_verified_at, username, created_at, updated_at)
   SELECT ?3, ?4, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?6) THEN ?6
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?7) THEN ?7 ELSE ?8 END, ?4, ?4
   WHERE ${won} ON CONFLICT(email) DO NOTHING RETURNING id`,
);

/** (id, nonce, email, now): the proof of the address. */
export const verifyConsumedUser = sql(
  `UPDATE users SET email_verified_at = ?4, updated_at = ?4
   WHERE email = ?3 AND email_verified_at IS NULL AND ${won}`,
);

/** (id, nonce, email, now, company): lets the person in; only a state set by the join rules is raised. */
export const admitConsumedUser = sql(
  `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, last_seen_at, created_at)
   SELECT ?5, u.id, 'allowed', 'join_rule', ?4, ?4, ?4 FROM users u WHERE u.email = ?3 AND ${won}
   ON CONFLICT(company_id, user_id) DO UPDATE SET
     state_at = CASE WHEN memberships.state = 'allowed' THEN memberships.state_at ELSE excluded.state_at END,
     state = 'allowed', last_seen_at = excluded.last_seen_at
   WHERE memberships.state = 'allowed' OR memberships.state_reason = 'join_rule'`,
);

/** (id, nonce, email, now, company, session id, idle end, hard end, country?, agent): the session of JSON and fragment mode. */
export const createConsumedSession = sql(
  `INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at,
     absolute_expires_at, country, user_agent, created_at)
   SELECT ?6, u.id, ?5, 'magic_link', ?4, ?4, ?7, ?8, ?9, ?10, ?4 FROM users u WHERE u.email = ?3 AND ${won}
   ON CONFLICT DO NOTHING`,
);

/** (id, nonce, email, now, company, code hash, context JSON, expiry, redirect key): the auth code of form mode with delivery `code`. */
export const createConsumedCode = sql(
  `INSERT INTO auth_codes (code_hash, user_id, company_id, provider, redirect_to, redirect_key, code_challenge, auth_time,
     client_context, created_at, expires_at)
   SELECT ?6, u.id, ?5, 'magic_link', r.redirect_to, ?9, r.code_challenge, ?4, ?7, ?4, ?8
   FROM sign_in_requests r JOIN users u ON u.email = ?3 WHERE r.id = ?1 AND r.consume_nonce = ?2 ON CONFLICT DO NOTHING`,
);

/** (id, nonce, company, name, label, guard): adds 1 to a total, once per event or auth code that is written after it. */
export const countConsumed = sql(
  `INSERT INTO counters (company_id, name, label, value)
   SELECT ?3, ?4, ?5, 1 WHERE ${won} AND NOT EXISTS (SELECT 1 FROM event_log WHERE event_id = ?6)
     AND NOT EXISTS (SELECT 1 FROM auth_codes WHERE code_hash = ?6)
   ON CONFLICT(company_id, name, label) DO UPDATE SET value = value + 1`,
);

/** (id, nonce, email, company): the person after the batch, for the token payload; no row when the race was lost. */
export const findConsumedPerson = sql(
  `SELECT ${personColumns} FROM sign_in_requests r JOIN users u ON u.email = ?3
   LEFT JOIN memberships m ON m.company_id = ?4 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id WHERE r.id = ?1 AND r.consume_nonce = ?2`,
);

/** (email, now, username candidates 1 to 4): the account that a refused first sign-in leaves, so that an administrator can act. */
export const createRefusedUser = sql(
  `INSERT INTO users (email, email_verified_at, username, created_at, updated_at)
   SELECT ?1, ?2, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?3) THEN ?3
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?4) THEN ?4
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5 ELSE ?6 END, ?2, ?2
   WHERE true ON CONFLICT(email) DO NOTHING`,
);

/** (company, email, state, now): the membership of a refused sign-in; RETURNING only on the first move from none. */
export const createRefusedMembership = sql(
  `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at)
   SELECT ?1, u.id, ?3, 'join_rule', ?4, ?4 FROM users u WHERE u.email = ?2
   ON CONFLICT(company_id, user_id) DO NOTHING RETURNING user_id`,
);

/** (company, email, state, now): a membership kept by the join rules follows the present mode. */
export const moveRefusedMembership = sql(
  `UPDATE memberships SET state = ?3, state_at = ?4
   WHERE company_id = ?1 AND user_id = (SELECT id FROM users WHERE email = ?2)
     AND state_reason = 'join_rule' AND state NOT IN ('allowed', ?3)`,
);

/** (cut): requests that ended before the cut, at most 2000. */
export const purgeSignInRequests = sql(
  `DELETE FROM sign_in_requests WHERE id IN (SELECT id FROM sign_in_requests WHERE expires_at < ?1 LIMIT 2000)`,
);
