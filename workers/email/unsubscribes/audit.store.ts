import type { audit_log } from "../../../db/email/schema";
import { sql } from "../../kit/db";

/** Who made a change: a person by session or token, or a service by its key (user id null). */
export type Actor = { kind: (typeof audit_log.$inferSelect)["actor_kind"]; userId: number | null };

/**
 * Bind: now (ms), actor kind, user id or null, company id, action, target, changes JSON. What was changed (email details
 * 12.2); stands right behind the statement that changes, and is written only when that one changed a row.
 */
export const insertAudit = sql(
  `INSERT INTO audit_log (at, actor_kind, actor_user_id, company_id, action, target, changes)
   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE changes() > 0`,
);
