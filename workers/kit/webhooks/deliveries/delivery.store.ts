import type { AttemptRow, DeliveryRow } from "../../../../db/kit/webhooks";
import type { DeliveryFilter } from "../../../../schemas/webhooks/deliveries";
import { type Db, type SqlValue, type Statement, sql } from "../../db";
import { highestCount, type LogPage } from "../../http/paging/log-page";

/** An attempt as it stands in the JSON of a delivery. */
export type AttemptFacts = Omit<AttemptRow, "delivery_seq" | "lease_token">;

/** A webhook delivery with whether its rule is enabled (null: deleted) and its attempts as JSON, newest first. */
export type ListedDelivery = Omit<DeliveryRow, "seq" | "body"> & {
  id: string;
  seq: number;
  rule_enabled: number | null;
  attempts: string;
};

/** One delivery with what it sends. */
export type FoundDelivery = ListedDelivery & { body: string };

/** Attempts that a list shows of each delivery. */
const LISTED_ATTEMPTS = 8;

const attemptColumns = [
  ...["id", "status", "http_status", "error_code", "error_message", "attempt_number", "requeue_count", "duration_ms"],
  ...["trigger", "scheduled_job_run_id", "created_at"],
];

const attemptsOf = (limit: string) =>
  `(SELECT json_group_array(json_object(${attemptColumns
    .map((column) => `'${column}', t.${column}`)
    .join(
      ", ",
    )})) FROM (SELECT * FROM delivery_attempts WHERE delivery_seq = d.seq ORDER BY id DESC ${limit}) t) AS attempts`;

const listedColumns = [
  ...["id", "seq", "kind", "company_id", "rule_id", "rule_name", "event_id", "event_type", "host", "status"],
  ...["attempt_count", "claim_count", "requeue_count", "due_at", "locked_until", "lease_token", "dispatched_at"],
  ...["last_error", "last_error_code", "delivered_at", "created_at", "updated_at"],
].map((column) => `d.${column}`);

// ?1 company, ?2 from, ?3 until, ?4 and ?5 time and place of the cursor's row, ?6 status, ?7 type, ?8 rule, ?9 event,
// ?10 run (null: not asked for); then, of the rows alone, how many and from where.
const FILTERS = `x.company_id = ?1 AND x.kind = 'webhook' AND x.created_at >= ?2 AND x.created_at < ?3
  AND (x.created_at < ?4 OR x.seq < ?5) AND (?6 IS NULL OR x.status = ?6) AND (?7 IS NULL OR x.event_type = ?7)
  AND (?8 IS NULL OR x.rule_id = ?8) AND (?9 IS NULL OR x.event_id = ?9)`;
const TOUCHED = `x.seq IN (SELECT delivery_seq FROM delivery_attempts INDEXED BY delivery_attempts_run
  WHERE scheduled_job_run_id IS NOT NULL AND scheduled_job_run_id = ?10)`;

type DeliveryList = { rows: Statement; count: Statement };

/** A list by the entry that leads to the fewest rows; other filters are looked at row by row. */
function listBy(source: string, entry: string): DeliveryList {
  const where = `FROM action_deliveries x ${source} WHERE ${entry} AND ${FILTERS}`;
  return {
    rows: sql(`SELECT ${listedColumns.join(", ")}, r.enabled AS rule_enabled, ${attemptsOf(`LIMIT ${LISTED_ATTEMPTS}`)}
FROM (SELECT x.seq ${where} ORDER BY x.created_at DESC, x.seq DESC LIMIT ?11 OFFSET ?12) k
  CROSS JOIN action_deliveries d ON d.seq = k.seq LEFT JOIN action_rules r ON r.id = d.rule_id
ORDER BY d.created_at DESC, d.seq DESC`),
    count: sql(`SELECT count(*) AS count FROM (SELECT 1 ${where} LIMIT ${highestCount})`),
  };
}

const byRun = listBy("", TOUCHED);
const byEvent = listBy("INDEXED BY action_deliveries_event", "x.event_id = ?9 AND ?10 IS NULL");
const byTime = listBy("INDEXED BY action_deliveries_company", "?10 IS NULL");

/** The reads of a company's webhook deliveries, newest first, one more than the page holds; their number but behind a cursor. */
export function deliveryListReads(
  db: Db,
  companyId: number,
  filter: DeliveryFilter,
  page: LogPage,
): D1PreparedStatement[] {
  const { created_after: from = 0, created_before: until = Number.MAX_SAFE_INTEGER } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER, id: 0 };
  const { status = null, event_type = null, action_rule_id = null, webhook_id = null } = filter;
  const run = filter.scheduled_job_run_id ?? null;
  const list = run !== null ? byRun : webhook_id !== null ? byEvent : byTime;
  const asked: SqlValue[] = [
    ...[companyId, from, Math.min(until, after.created_at + 1), after.created_at, after.id],
    ...[status, event_type, action_rule_id, webhook_id, run],
  ];
  return [
    list.rows.bind(db, ...asked, page.pageSize + 1, page.offset),
    ...(page.after ? [] : [list.count.bind(db, ...asked)]),
  ];
}

const findById = sql(`SELECT ${listedColumns.join(", ")}, d.body, r.enabled AS rule_enabled, ${attemptsOf("")}
FROM action_deliveries d LEFT JOIN action_rules r ON r.id = d.rule_id
WHERE d.id = ?1 AND d.kind = 'webhook' AND (?2 IS NULL OR d.company_id = ?2)`);

/** The statement that reads a webhook delivery of a company, or of any for null, with all of its attempts. */
export function findDelivery(db: Db, companyId: number | null, id: string | null): D1PreparedStatement {
  return findById.bind(db, id, companyId);
}
