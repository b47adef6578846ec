import { type Db, sql } from "../../db";

/** How long a first attempt may stay away before a retry run takes it over (details of Document 3, 4.1). */
const DOORBELL_MS = 30_000;

// An event of a rule's company and type has its envelope, which is sent again as it is.
const insert =
  sql(`INSERT INTO action_deliveries (id, kind, company_id, rule_id, rule_name, event_id, event_type, host, body,
  status, due_at, created_at, updated_at)
SELECT ?1, 'webhook', e.company_id, r.id, r.name, e.event_id, e.event_type, r.host, e.envelope, 'pending', ?5, ?4, ?4
FROM event_log e JOIN action_rules r ON r.id = ?3 AND r.company_id = e.company_id AND r.event_type = e.event_type
WHERE e.id = ?2 AND e.envelope IS NOT NULL ON CONFLICT DO NOTHING`);

/** The statement that makes a delivery (uuid) of a stored event for a rule of its company and type; nothing when there is one. */
export function insertReplay(
  db: Db,
  replay: { id: string; eventLogId: number; ruleId: number },
  now: number,
): D1PreparedStatement {
  return insert.bind(db, replay.id, replay.eventLogId, replay.ruleId, now, now + DOORBELL_MS);
}
