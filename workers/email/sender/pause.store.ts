import type { lane_states } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type LaneStateRow = typeof lane_states.$inferSelect;

/** Bind: lane, company id. The pauses of this lane for everybody (company id 0) and for this company, both scopes. */
export const pausesOf = sql("SELECT * FROM lane_states WHERE lane = ?1 AND paused = 1 AND company_id IN (0, ?2)");

/**
 * Bind: lane, company id (0: everybody), scope ("" for everybody), reason, fingerprint or null, now (ms), user id or
 * null. Pauses; a pause by staff is kept by a later one of the service.
 */
export const pauseLane =
  sql(`INSERT INTO lane_states (lane, company_id, scope, paused, reason, fingerprint, paused_at, paused_by)
VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7)
ON CONFLICT (lane, company_id, scope) DO UPDATE SET paused = 1, reason = excluded.reason,
  fingerprint = excluded.fingerprint, paused_at = excluded.paused_at, paused_by = excluded.paused_by
WHERE lane_states.paused = 0 OR lane_states.fingerprint IS NOT NULL OR excluded.fingerprint IS NULL`);

/** Bind: lane, company id (0: everybody). Ends the pause for everybody, or both scopes of that company. */
export const resumeLane = sql("DELETE FROM lane_states WHERE lane = ?1 AND company_id = ?2");

/** Bind: company id. Ends the pauses that a refusal of its credentials made; runs with a new credential (5.5). */
export const clearCompanyPauses = sql(
  "DELETE FROM lane_states WHERE company_id = ?1 AND company_id > 0 AND fingerprint IS NOT NULL",
);

/**
 * A company pause by refused credentials counts only while they are in force (email details 5.5). Alias p is the pause;
 * the fingerprint of the platform's credentials in force, or "", is the given parameter.
 */
export const inForce = (platform: string) => `(p.fingerprint IS NULL OR p.fingerprint = CASE p.scope
    WHEN 'company' THEN (SELECT c.fingerprint FROM company_providers c WHERE c.company_id = p.company_id)
    ELSE ${platform} END)`;

/** No pause holds message m back. Two look-ups, so that each ends at one row of the index. */
export const notPaused = (platform: string) => `NOT EXISTS (SELECT 1 FROM lane_states p
    WHERE p.lane = m.lane AND p.paused = 1 AND p.company_id = 0)
  AND NOT EXISTS (SELECT 1 FROM lane_states p
    WHERE p.lane = m.lane AND p.paused = 1 AND p.company_id = m.company_id AND p.scope = m.scope
      AND ${inForce(platform)})`;

/** The pauses for everybody, at most one a lane. */
export const listLanes = sql(
  "SELECT * FROM lane_states WHERE lane IN ('auth', 'transactional', 'bulk') AND paused = 1 AND company_id = 0",
);

/** Bind: company id, platform fingerprint. The pauses of one company that are in force. */
export const pausesOfCompany = sql(
  `SELECT p.* FROM lane_states p WHERE p.company_id = ?1 AND p.paused = 1 AND ${inForce("?2")}`,
);
