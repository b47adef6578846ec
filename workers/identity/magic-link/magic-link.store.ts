import type { sign_in_requests } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { personColumns } from "../account/person.store";

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

/**
 * (company, email, now, links on in the deployment 0/1): counts a try of a typed code on every live request of the address,
 * and answers those rows; none where sign-in by link is off.
 */
export const countCodeTry = sql(
  `UPDATE sign_in_requests SET code_tries = code_tries + 1
   WHERE company_id = ?1 AND email = ?2 AND expires_at > ?3 AND consumed_at IS NULL AND code_tries < 5 AND ?4
     AND EXISTS (SELECT 1 FROM companies c WHERE c.id = ?1 AND c.is_active = 1 AND c.enable_magic_link = 1)
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

/** (email, now, username candidates 1 to 4): the account that a refused first sign-in leaves, so that an administrator can act. */
export const createRefusedUser = sql(
  `INSERT INTO users (email, email_verified_at, username, created_at, updated_at)
   SELECT ?1, ?2, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?3) THEN ?3
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?4) THEN ?4
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5 ELSE ?6 END, ?2, ?2
   WHERE true ON CONFLICT(email) DO NOTHING`,
);
