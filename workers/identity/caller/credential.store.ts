import type { personal_access_tokens } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { type PersonRow, personColumns } from "../account/person.store";

export type PatRow = typeof personal_access_tokens.$inferSelect;

/** A personal access token with its person and company: everything a credential check decides on. */
export type LivePatRow = PersonRow &
  Pick<PatRow, "user_id" | "company_id" | "jti" | "read_only" | "expires_at" | "revoked_at"> & {
    pat_id: string;
    company_active: number;
    /** the row's flag and that of every token it was made by, as long as who raised each is live staff (details 9) */
    sees_global_metrics: number;
  };

/**
 * (token id): the live facts behind a personal access token, in one indexed read. A token made with a token has no more
 * life and power than those before it, whatever became of them since.
 */
export const findLivePat = sql(
  `WITH RECURSIVE line (parent_id, expires_at, revoked_at, flag, set_by) AS (
     SELECT parent_id, expires_at, revoked_at, access_global_metrics, agm_set_by FROM personal_access_tokens
     WHERE id = ?1
     UNION ALL SELECT p.parent_id, p.expires_at, p.revoked_at, p.access_global_metrics, p.agm_set_by
     FROM line JOIN personal_access_tokens p ON p.id = line.parent_id)
   SELECT t.id AS pat_id, t.user_id, t.company_id, t.jti, t.read_only, made.expires_at, made.revoked_at,
     made.sees_global_metrics, c.is_active AS company_active, ${personColumns}
   FROM (SELECT min(line.expires_at) AS expires_at, max(line.revoked_at) AS revoked_at,
       min(line.flag = 1 AND coalesce(s.is_staff = 1 AND s.is_active = 1, 0)) AS sees_global_metrics
     FROM line LEFT JOIN users s ON s.id = line.set_by) made
   JOIN personal_access_tokens t ON t.id = ?1
   JOIN users u ON u.id = t.user_id JOIN companies c ON c.id = t.company_id
   LEFT JOIN memberships m ON m.company_id = t.company_id AND m.user_id = t.user_id
   LEFT JOIN preferences p ON p.user_id = t.user_id`,
);

/** (token id, now, network): a successful use; `last_used_at` never goes back. */
export const touchPat = sql(
  `UPDATE personal_access_tokens SET last_used_at = max(coalesce(last_used_at, 0), ?2), last_used_network = ?3,
     use_count = use_count + 1 WHERE id = ?1`,
);
