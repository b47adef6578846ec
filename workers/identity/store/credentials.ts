import type { personal_access_tokens } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { type PersonRow, personColumns } from "./people";

export type PatRow = typeof personal_access_tokens.$inferSelect;

/** A personal access token with its person and company: everything a credential check decides on. */
export type LivePatRow = PersonRow &
  Pick<
    PatRow,
    "user_id" | "company_id" | "jti" | "read_only" | "expires_at" | "revoked_at" | "last_used_at" | "last_used_network"
  > & {
    pat_id: string;
    company_active: number;
    /** the row's flag, as long as who raised it is live staff (details 9, point 4) */
    sees_global_metrics: number;
  };

/** (token id): the live facts behind a personal access token; one indexed read. */
export const findLivePat = sql(
  `SELECT t.id AS pat_id, t.user_id, t.company_id, t.jti, t.read_only, t.expires_at, t.revoked_at, t.last_used_at,
     t.last_used_network, c.is_active AS company_active,
     t.access_global_metrics = 1 AND EXISTS (SELECT 1 FROM users s WHERE s.id = t.agm_set_by AND s.is_staff = 1
       AND s.is_active = 1) AS sees_global_metrics,
     ${personColumns}
   FROM personal_access_tokens t JOIN users u ON u.id = t.user_id JOIN companies c ON c.id = t.company_id
   LEFT JOIN memberships m ON m.company_id = t.company_id AND m.user_id = t.user_id
   LEFT JOIN preferences p ON p.user_id = t.user_id WHERE t.id = ?1`,
);

/** (token id, now, network): a successful use; `last_used_at` never goes back. */
export const touchPat = sql(
  `UPDATE personal_access_tokens SET last_used_at = max(coalesce(last_used_at, 0), ?2), last_used_network = ?3,
     use_count = use_count + 1 WHERE id = ?1`,
);
