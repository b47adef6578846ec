import type { oauth_states } from "../../../db/identity/schema";
import { sql } from "../../kit/db";

export type OAuthStateRow = typeof oauth_states.$inferSelect;

/** (state hash, cookie hash, company, client, redirect, delivery, challenge?, sealed, context JSON, now, expiry) */
export const insertOAuthState = sql(
  `INSERT INTO oauth_states (state_hash, cookie_hash, company_id, client_id, redirect_to, token_delivery, code_challenge,
     sealed, client_context, created_at, expires_at)
   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING`,
);

/** (state hash, cookie hash, now, nonce): the one use of a state, by the browser that it was made for (details 4.1). */
export const claimOAuthState = sql(
  `UPDATE oauth_states SET used_at = ?3, use_nonce = ?4
   WHERE state_hash = ?1 AND cookie_hash = ?2 AND used_at IS NULL AND expires_at > ?3`,
);

/** (state hash): the state, live or not. */
export const findOAuthState = sql("SELECT * FROM oauth_states WHERE state_hash = ?1");

/** (state hash): the company that is signed in to. */
export const findCompanyOfState = sql(
  "SELECT c.* FROM oauth_states s JOIN companies c ON c.id = s.company_id WHERE s.state_hash = ?1",
);

/** (state hash): the client that the person was sent to, unless it is gone. */
export const findClientOfState = sql(
  `SELECT o.* FROM oauth_states s JOIN oauth_clients o ON o.id = s.client_id AND o.company_id = s.company_id
   WHERE s.state_hash = ?1`,
);

/** (state hash): active allowlist origins that the redirect begins with. */
export const findOriginsOfState = sql(
  `SELECT o.base_url FROM oauth_states s JOIN oauth_redirects o ON o.company_id = s.company_id AND o.is_active = 1
   WHERE s.state_hash = ?1 AND instr(s.redirect_to, o.base_url) = 1`,
);

/** (state hash, sealed before, sealed after, now): keeps the values of a form post; the first post of a live state wins. */
export const keepFormPost = sql(
  `UPDATE oauth_states SET sealed = ?3
   WHERE state_hash = ?1 AND sealed = ?2 AND used_at IS NULL AND expires_at > ?4 RETURNING state_hash`,
);

/**
 * (state hash, nonce of the use, nonce of the batch, email, user or null for a new one, provider, issuer, subject, company
 * of the identity): opens the batch of a sign-in. What was decided on rows read before is asked again here: company and
 * client are on; the account is still that one, active, not kept out, and for staff let in; or there is still none; and
 * the provider's account belongs to nobody else.
 */
export const finishOAuthState = sql(
  `UPDATE oauth_states SET use_nonce = ?3
   WHERE state_hash = ?1 AND use_nonce = ?2
     AND EXISTS (SELECT 1 FROM companies c WHERE c.id = oauth_states.company_id AND c.is_active = 1)
     AND EXISTS (SELECT 1 FROM oauth_clients o WHERE o.id = oauth_states.client_id AND o.is_active = 1)
     AND CASE WHEN ?5 IS NULL THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.email = ?4)
       ELSE EXISTS (SELECT 1 FROM users u LEFT JOIN memberships m
         ON m.company_id = oauth_states.company_id AND m.user_id = u.id
         WHERE u.id = ?5 AND u.email = ?4 AND u.is_active = 1
           AND (u.is_staff = 0 OR (m.state = 'allowed' AND ?6 <> 'oidc'))
           AND (m.state IS NULL OR m.state = 'allowed' OR m.state_reason = 'join_rule')) END
     AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.provider = ?6 AND i.issuer = ?7 AND i.subject = ?8
       AND i.company_id = ?9 AND i.user_id IS NOT ?5)`,
);
