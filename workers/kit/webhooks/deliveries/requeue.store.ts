import { type Db, sql } from "../../db";
import { type FoundDelivery, findDelivery } from "./delivery.store";

// Details of Document 3, 4.3: attempts stay, and so does a live lease, whose result then counts as attempt 1.
const REQUEUED = `status = 'pending', attempt_count = 0, claim_count = 0, requeue_count = requeue_count + 1, due_at = ?2,
  last_error = NULL, last_error_code = NULL, updated_at = ?2`;

/** Of a delivery that an erasure has emptied (email details 8.3) nothing is left to send. */
const HAS_CONTENT = "(body <> '{}' OR last_error_code IS NOT 'erased')";

const requeueOne = sql(`UPDATE action_deliveries SET ${REQUEUED}
WHERE id = ?1 AND kind = 'webhook' AND status IN ('dead','failed') AND ${HAS_CONTENT}
  AND EXISTS (SELECT 1 FROM action_rules r WHERE r.id = rule_id) RETURNING seq`);

/** Puts a dead or failed delivery of a living rule back, due at once; the row as it is then, and whether this call did it. */
export async function requeueDelivery(
  db: Db,
  id: string,
  now: number,
): Promise<{ isRequeued: boolean; row: FoundDelivery | null }> {
  const [changed, found] = await db.batch<[{ seq: number }, FoundDelivery]>([
    requeueOne.bind(db, id, now),
    findDelivery(db, null, id),
  ]);
  return { isRequeued: changed.results.length > 0, row: found.results[0] ?? null };
}

/** Deliveries that one call requeues (details of Document 3, 4.9). */
const REQUEUED_AT_ONCE = 20_000;

// ?1 rule, ?3 which ('dead', 'failed', 'all'), ?4 from, ?5 until; ?2 is the time of the call.
const CHOSEN = `SELECT seq, created_at FROM action_deliveries INDEXED BY action_deliveries_waiting
  WHERE status IN ('pending','failed') AND rule_id = ?1 AND status = 'failed' AND ?3 <> 'dead'
    AND created_at >= ?4 AND created_at < ?5
UNION ALL SELECT seq, created_at FROM action_deliveries INDEXED BY action_deliveries_dead
  WHERE status = 'dead' AND rule_id = ?1 AND created_at >= ?4 AND created_at < ?5 AND ?3 <> 'failed'
    AND ${HAS_CONTENT}`;

const requeueMany = sql(`UPDATE action_deliveries SET ${REQUEUED}
WHERE seq IN (SELECT seq FROM (${CHOSEN}) ORDER BY created_at, seq LIMIT ${REQUEUED_AT_ONCE})
  AND EXISTS (SELECT 1 FROM action_rules WHERE id = ?1)`);

const isMore = sql(`SELECT EXISTS (SELECT 1 FROM (${CHOSEN})) AS more`);

/** Requeues deliveries of a rule by the time of their making, the oldest first, at most 20,000; times are unix ms. */
export async function requeueOfRule(
  db: Db,
  ruleId: number,
  chosen: { status: "dead" | "failed" | "all"; since: number; until: number },
  now: number,
): Promise<{ requeued: number; complete: boolean }> {
  const asked = [ruleId, now, chosen.status, chosen.since, chosen.until];
  const [changed, rest] = await db.batch<[unknown, { more: number }]>([
    requeueMany.bind(db, ...asked),
    isMore.bind(db, ...asked),
  ]);
  return { requeued: changed.meta.changes, complete: rest.results[0]?.more !== 1 };
}
