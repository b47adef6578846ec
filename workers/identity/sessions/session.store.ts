import type { auth_codes, sessions } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { type PersonRow, personColumns } from "../account/person.store";

export type AuthCodeRow = typeof auth_codes.$inferSelect;
type SessionRow = typeof sessions.$inferSelect;

/** A session with its person and the activity of its company: everything a credential check decides on. */
export type LiveSessionRow = PersonRow &
  Pick<
    SessionRow,
    | "user_id"
    | "company_id"
    | "provider"
    | "counter"
    | "auth_time"
    | "rotated_at"
    | "idle_expires_at"
    | "absolute_expires_at"
    | "revoked_at"
    | "revoke_reason"
  > & { sid: string; company_active: number };

const liveColumns = `s.id AS sid, s.user_id, s.company_id, s.provider, s.counter, s.auth_time, s.rotated_at,
  s.idle_expires_at, s.absolute_expires_at, s.revoked_at, s.revoke_reason, c.is_active AS company_active,
  ${personColumns}`;

const liveJoin = `FROM sessions s JOIN users u ON u.id = s.user_id JOIN companies c ON c.id = s.company_id
  LEFT JOIN memberships m ON m.company_id = s.company_id AND m.user_id = s.user_id
  LEFT JOIN preferences p ON p.user_id = s.user_id`;

/** (session id): the live facts behind a bearer. */
export const findLiveSession = sql(`SELECT ${liveColumns} ${liveJoin} WHERE s.id = ?1`);

// What must hold for a session to go on; the same conditions as the check of a bearer.
const mayGoOn = `revoked_at IS NULL AND idle_expires_at > ?3 AND absolute_expires_at > ?3
  AND EXISTS (SELECT 1 FROM users u WHERE u.id = sessions.user_id AND u.is_active = 1)
  AND EXISTS (SELECT 1 FROM companies c WHERE c.id = sessions.company_id AND c.is_active = 1)
  AND EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = sessions.company_id AND m.user_id = sessions.user_id
    AND m.state = 'allowed')`;

/** (session id, counter, now, idle ms, company or null): rotates the refresh token; one winner per counter. */
export const rotateSession = sql(
  `UPDATE sessions SET counter = counter + 1, rotated_at = ?3, idle_expires_at = MIN(?3 + ?4, absolute_expires_at)
   WHERE id = ?1 AND counter = ?2 AND (?5 IS NULL OR company_id = ?5) AND ${mayGoOn} RETURNING counter`,
);

/** (session id, counter, now, grace ms): ends a session whose older refresh token is shown again (details 4.2). */
export const revokeReusedSession = sql(
  `UPDATE sessions SET revoked_at = ?3, revoke_reason = 'refresh_token_reused'
   WHERE id = ?1 AND revoked_at IS NULL AND idle_expires_at > ?3 AND absolute_expires_at > ?3
     AND (counter > ?2 + 1 OR (counter = ?2 + 1 AND rotated_at + ?4 < ?3)) RETURNING id`,
);

/** (session id, now): when the person was last seen, written at most once per 60 s, by the rotation of the same batch. */
export const touchMembership = sql(
  `UPDATE memberships SET last_seen_at = ?2
   WHERE (last_seen_at IS NULL OR last_seen_at < ?2 - 60000)
     AND (company_id, user_id) = (SELECT company_id, user_id FROM sessions
       WHERE id = ?1 AND revoked_at IS NULL AND rotated_at = ?2)`,
);

/** (user, company, now, rows, offset): the live sessions of the user in the company, newest first. */
export const listSessions = sql(
  `SELECT id, provider, rotated_at, idle_expires_at, country, user_agent, created_at
   FROM sessions
   WHERE user_id = ?1 AND company_id = ?2 AND revoked_at IS NULL AND idle_expires_at > ?3 AND absolute_expires_at > ?3
   ORDER BY created_at DESC, id LIMIT ?4 OFFSET ?5`,
);

export type SessionListRow = Pick<
  SessionRow,
  "id" | "provider" | "rotated_at" | "idle_expires_at" | "country" | "user_agent" | "created_at"
>;

/** (user, company, now): how many live sessions the user has in the company. */
export const countSessions = sql(
  `SELECT count(*) AS total FROM sessions WHERE user_id = ?1 AND company_id = ?2 AND revoked_at IS NULL
     AND idle_expires_at > ?3 AND absolute_expires_at > ?3`,
);

/** (session id, user, company): 1 when the session is the user's in that company. */
export const findOwnSession = sql("SELECT 1 AS found FROM sessions WHERE id = ?1 AND user_id = ?2 AND company_id = ?3");

/** (session id, user, now, reason): ends one session of the user. */
export const revokeSession = sql(
  "UPDATE sessions SET revoked_at = ?3, revoke_reason = ?4 WHERE id = ?1 AND user_id = ?2 AND revoked_at IS NULL",
);

/** (session id, user, now, reason, company): as revokeSession, when the user is no member of that company any more. */
export const revokeSessionOfLeaver = sql(
  `UPDATE sessions SET revoked_at = ?3, revoke_reason = ?4 WHERE id = ?1 AND user_id = ?2 AND revoked_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = ?5 AND m.user_id = ?2)`,
);

/** (user, company, now, reason): ends every session of the user in the company. */
export const revokeSessionsOfUser = sql(
  `UPDATE sessions SET revoked_at = ?3, revoke_reason = ?4
   WHERE user_id = ?1 AND company_id = ?2 AND revoked_at IS NULL`,
);

/**
 * (code hash, now, nonce, company or null, redirect as stored, verified challenge or null, origin that must be on the
 * allowlist, null for a loopback one): spends the code once.
 */
export const redeemAuthCode = sql(
  `UPDATE auth_codes SET redeemed_at = ?2, redeem_nonce = ?3
   WHERE code_hash = ?1 AND redeemed_at IS NULL AND expires_at > ?2 AND (?4 IS NULL OR company_id = ?4)
     AND redirect_key = ?5 AND (code_challenge IS NULL OR code_challenge = ?6)
     AND (?7 IS NULL OR EXISTS (SELECT 1 FROM oauth_redirects o
       WHERE o.company_id = auth_codes.company_id AND o.base_url = ?7 AND o.is_active = 1))
     AND EXISTS (SELECT 1 FROM users u WHERE u.id = auth_codes.user_id AND u.is_active = 1)
     AND EXISTS (SELECT 1 FROM companies c WHERE c.id = auth_codes.company_id AND c.is_active = 1)
     AND EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = auth_codes.company_id
       AND m.user_id = auth_codes.user_id AND m.state = 'allowed')
   RETURNING code_hash`,
);

/** (code hash, now, nonce, session id, idle end, hard end, country?, agent): the session of a redeemed code. */
export const createRedeemedSession = sql(
  `INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at,
     absolute_expires_at, country, user_agent, created_at)
   SELECT ?4, user_id, company_id, provider, auth_time, ?2, ?5, ?6, ?7, ?8, ?2 FROM auth_codes
   WHERE code_hash = ?1 AND redeem_nonce = ?3 ON CONFLICT DO NOTHING`,
);

/** (code hash, origin): the code with its person, for the payload or the reason of a refusal. */
export const findPersonOfCode = sql(
  `SELECT a.company_id, a.provider, a.auth_time, a.redirect_key, a.code_challenge, a.expires_at, a.redeemed_at,
     a.redeem_nonce, a.client_context, c.is_active AS company_active,
     EXISTS (SELECT 1 FROM oauth_redirects o
       WHERE o.company_id = a.company_id AND o.base_url = ?2 AND o.is_active = 1) AS is_listed, ${personColumns}
   FROM auth_codes a JOIN users u ON u.id = a.user_id JOIN companies c ON c.id = a.company_id
   LEFT JOIN memberships m ON m.company_id = a.company_id AND m.user_id = a.user_id
   LEFT JOIN preferences p ON p.user_id = a.user_id WHERE a.code_hash = ?1`,
);

export type CodePersonRow = PersonRow &
  Pick<
    AuthCodeRow,
    | "company_id"
    | "provider"
    | "auth_time"
    | "redirect_key"
    | "code_challenge"
    | "expires_at"
    | "redeemed_at"
    | "redeem_nonce"
    | "client_context"
  > & { company_active: number; is_listed: number };

/** (code hash, nonce, name, event id): adds 1 to the total of the code's provider, once per event row written after it. */
export const countRedeemed = sql(
  `INSERT INTO counters (company_id, name, label, value)
   SELECT a.company_id, ?3, a.provider, 1 FROM auth_codes a WHERE a.code_hash = ?1 AND a.redeem_nonce = ?2
     AND NOT EXISTS (SELECT 1 FROM event_log WHERE event_id = ?4)
   ON CONFLICT(company_id, name, label) DO UPDATE SET value = value + 1`,
);
