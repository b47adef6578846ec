import { sql } from "../../kit/db";
import type { PatRow } from "../caller/credential.store";

/** A token with the end of the one that made it: null when none did, 0 when that one is purged. */
export type FoundPatRow = PatRow & { parent_expires_at: number | null };

/** (token id): the token. */
export const findPat = sql(
  `SELECT t.*, CASE WHEN t.parent_id IS NOT NULL THEN coalesce(p.expires_at, 0) END AS parent_expires_at
   FROM personal_access_tokens t LEFT JOIN personal_access_tokens p ON p.id = t.parent_id WHERE t.id = ?1`,
);

/** (company, user, limit, offset): a page of the user's tokens, newest first. */
export const listPats = sql(
  `SELECT * FROM personal_access_tokens WHERE company_id = ?1 AND user_id = ?2
   ORDER BY created_at DESC, rowid DESC LIMIT ?3 OFFSET ?4`,
);

/** (company, user): how many tokens the list has. */
export const countPats = sql(
  "SELECT count(*) AS count FROM personal_access_tokens WHERE company_id = ?1 AND user_id = ?2",
);

/** (company, user, now): how many of them are live. */
export const countLivePats = sql(
  `SELECT count(*) AS count FROM personal_access_tokens
   WHERE company_id = ?1 AND user_id = ?2 AND revoked_at IS NULL AND expires_at > ?3`,
);

// Asked inside the statement that issues: of any number of parallel calls, 50 tokens live.
const hasRoom = `(SELECT count(*) FROM personal_access_tokens l WHERE l.company_id = ?2 AND l.user_id = ?3
  AND l.revoked_at IS NULL AND l.expires_at > ?4) < 50`;

// The holder and the credential of the call as they are now, not as the check before found them: ?2 company, ?3 user,
// ?4 now, ?5 session id or null, ?6 and ?7 id and jti of the token that calls or null.
const mayIssue = `EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id JOIN companies c ON c.id = m.company_id
    WHERE m.company_id = ?2 AND m.user_id = ?3 AND m.state = 'allowed' AND u.is_active = 1 AND c.is_active = 1)
  AND (?5 IS NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = ?5 AND s.revoked_at IS NULL))
  AND (?6 IS NULL OR EXISTS (SELECT 1 FROM personal_access_tokens p WHERE p.id = ?6 AND p.jti = ?7
    AND p.revoked_at IS NULL AND p.expires_at > ?4))`;

/**
 * (token id, company, user, now, session?, token of the call?, its jti?, jti, name, read only, flag, end): a new token,
 * unless 50 live or the caller's own credential has ended; its parent is the token of the call.
 */
export const insertPat = sql(
  `INSERT INTO personal_access_tokens (id, company_id, user_id, created_at, parent_id, jti, name, read_only,
     access_global_metrics, agm_set_by, expires_at)
   SELECT ?1, ?2, ?3, ?4, ?6, ?8, ?9, ?10, ?11, CASE ?11 WHEN 1 THEN ?3 END, ?12
   WHERE ${hasRoom} AND ${mayIssue} ON CONFLICT DO NOTHING`,
);

// The token and every one that was made by it, at any depth.
const made = `(WITH RECURSIVE made (id) AS (SELECT ?1 UNION
  SELECT t.id FROM made JOIN personal_access_tokens t ON t.parent_id = made.id) SELECT id FROM made)`;

/**
 * (token id, company, user, now, session?, token of the call?, its jti?, jti, end): issues a token again, so that the
 * older JWT ends; no token made with it outlives the new end. Nothing changes for a revoked one, nor for one that is
 * over when 50 others live.
 */
export const reissuePat = sql(
  `UPDATE personal_access_tokens SET jti = CASE id WHEN ?1 THEN ?8 ELSE jti END,
     expires_at = CASE id WHEN ?1 THEN ?9 ELSE min(expires_at, ?9) END
   WHERE id IN ${made} AND ${mayIssue}
     AND EXISTS (SELECT 1 FROM personal_access_tokens o WHERE o.id = ?1 AND o.company_id = ?2 AND o.user_id = ?3
       AND o.revoked_at IS NULL AND (o.expires_at > ?4 OR ${hasRoom}))`,
);

/** (token id, now): ends a token and every one made with it, at once. */
export const revokePat = sql(
  `UPDATE personal_access_tokens SET revoked_at = ?2 WHERE revoked_at IS NULL AND id IN ${made}`,
);

/** (token id, name?, flag?, staff user): changes what is given; a raised flag remembers who raised it. */
export const changePat = sql(
  `UPDATE personal_access_tokens SET name = coalesce(?2, name),
     access_global_metrics = coalesce(?3, access_global_metrics),
     agm_set_by = CASE ?3 WHEN 1 THEN ?4 WHEN 0 THEN NULL ELSE agm_set_by END
   WHERE id = ?1`,
);
