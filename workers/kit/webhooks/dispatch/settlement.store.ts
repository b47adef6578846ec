import type { AttemptRow, RuleRow } from "../../../../db/kit/webhooks";
import { type Db, sql } from "../../db";

/** What an attempt came to, for its row and the delivery. Times in unix ms. */
type Attempted = {
  status: AttemptRow["status"];
  http_status: number | null;
  error_code: string | null;
  error_message: string | null;
  attempt_number: number;
  requeue_count: number;
  duration_ms: number;
  trigger: AttemptRow["trigger"];
  run_id: number | null;
  /** `retry` is `failed` or, after the last attempt, `dead`; the statement counts */
  next: "delivered" | "dead" | "retry";
  /** wait that the receiver asked for; null: that of the schedule */
  wait_ms: number | null;
  /** whether the host gave an HTTP answer; null: it was not asked */
  answered: 0 | 1 | null;
  gone: 0 | 1;
};

/** A claimed delivery that was not attempted. `free` gives claim and lease back, `postpone` also waits `wait_ms`. */
type Unsent = {
  status: null;
  next: "free" | "postpone" | "dead";
  error_code: string | null;
  error_message: string | null;
  wait_ms: number | null;
};

/** A result as it is stored; `counts` are count names of a retry run that grow by one. */
export type Result = (Attempted | Unsent) & { seq: number; id: string; token: string; at: number; counts: string[] };

/** A rule that has begun to fail. */
export type FailingRule = Pick<RuleRow, "id" | "company_id"> & { health_reason: string };

// ?1 is a JSON list of results r. HELD: their deliveries d as long as the lease holds. The statement that ends it comes
// last, so a repeated batch finds nothing held and adds nothing; a late result leaves its attempt and nothing else.
const HELD = `FROM json_each(?1) r CROSS JOIN action_deliveries d ON d.seq = r.value ->> 'seq'
  AND d.id = r.value ->> 'id' AND d.lease_token = r.value ->> 'token'`;

const IS_ATTEMPTED = "r.value ->> 'status' IS NOT NULL";

const noteAttempts = sql(`INSERT INTO delivery_attempts (delivery_seq, lease_token, status, http_status, error_code,
  error_message, attempt_number, requeue_count, duration_ms, trigger, scheduled_job_run_id, created_at)
SELECT d.seq, r.value ->> 'token', r.value ->> 'status', r.value ->> 'http_status', r.value ->> 'error_code',
  r.value ->> 'error_message', r.value ->> 'attempt_number', r.value ->> 'requeue_count', r.value ->> 'duration_ms',
  r.value ->> 'trigger', r.value ->> 'run_id', r.value ->> 'at'
FROM json_each(?1) r CROSS JOIN action_deliveries d ON d.seq = r.value ->> 'seq' AND d.id = r.value ->> 'id'
WHERE ${IS_ATTEMPTED} ON CONFLICT DO NOTHING`);

/** Results of rules in the order of their times: what came after the last success of the batch decides. */
const BY_RULE = `SELECT rule_id, max(ok_at) AS ok_at, max(CASE WHEN failed THEN at END) AS failed_at,
    min(CASE WHEN failed AND at > coalesce(ok_at, -1) THEN at END) AS failing_at,
    max(CASE WHEN failed AND at > coalesce(ok_at, -1) THEN gone ELSE 0 END) AS gone,
    max(CASE WHEN at > coalesce(ok_at, -1) THEN secret ELSE 0 END) AS secret
  FROM (SELECT d.rule_id, r.value ->> 'at' AS at, r.value ->> 'status' IS 'failure' AS failed,
      coalesce(r.value ->> 'gone', 0) AS gone, r.value ->> 'error_code' IS 'secret_unavailable' AS secret,
      max(CASE WHEN r.value ->> 'status' = 'success' THEN r.value ->> 'at' END) OVER (PARTITION BY d.rule_id) AS ok_at
    ${HELD} WHERE d.kind = 'webhook' AND (${IS_ATTEMPTED} OR r.value ->> 'error_code' = 'secret_unavailable'))
  GROUP BY rule_id`;

// (results): details of Document 3, 4.6, point 4.
const noteHealth = sql(`UPDATE action_rules SET last_success_at = coalesce(x.ok_at, last_success_at),
  last_failure_at = coalesce(x.failed_at, last_failure_at),
  failing_since = CASE WHEN x.ok_at IS NULL THEN coalesce(failing_since, x.failing_at) ELSE x.failing_at END,
  health_reason = CASE WHEN x.ok_at IS NULL THEN health_reason END
FROM (${BY_RULE}) x WHERE action_rules.id = x.rule_id`);

const DAY_MS = 86_400_000;

// (results): says which rules have begun to fail.
const noteFailing = sql(`UPDATE action_rules SET health_reason = CASE WHEN x.gone THEN 'gone'
  WHEN x.secret THEN 'secret_unavailable' ELSE 'failing_24h' END
FROM (${BY_RULE}) x WHERE action_rules.id = x.rule_id AND action_rules.health_reason IS NULL
  AND (x.gone OR x.secret OR (x.failing_at IS NOT NULL AND action_rules.failing_since <= x.failed_at - ${DAY_MS}))
RETURNING id, company_id, health_reason`);

const clearHosts = sql(
  `DELETE FROM action_hosts WHERE host IN (SELECT d.host ${HELD} WHERE r.value ->> 'answered' = 1)`,
);

const countHosts = sql(`INSERT INTO action_hosts (host, consecutive_failures, last_failure_at)
SELECT host, count(*), max(at) FROM (SELECT d.host, r.value ->> 'at' AS at, r.value ->> 'answered' AS answered,
    max(CASE WHEN r.value ->> 'answered' = 1 THEN r.value ->> 'at' END) OVER (PARTITION BY d.host) AS answered_at
  ${HELD} WHERE r.value ->> 'answered' IS NOT NULL)
WHERE answered = 0 AND at > coalesce(answered_at, -1) GROUP BY host
ON CONFLICT (host) DO UPDATE SET consecutive_failures = consecutive_failures + excluded.consecutive_failures,
  last_failure_at = max(last_failure_at, excluded.last_failure_at)`);

/** Totals of a company, and of all as company 0: `webhook_attempts.{success or failure}.{trigger}`. */
const countAttempts = sql(`INSERT INTO action_counters (company_id, name, value)
SELECT t.value * d.company_id, 'webhook_attempts.' || (r.value ->> 'status') || '.' || (r.value ->> 'trigger'), count(*)
${HELD} CROSS JOIN json_each('[0,1]') t WHERE ${IS_ATTEMPTED} AND d.kind <> 'email' GROUP BY 1, 2
ON CONFLICT (company_id, name) DO UPDATE SET value = value + excluded.value`);

// What a helper adds to its run: each attempt once, whether or not its lease held.
const NEW_COUNTS = `FROM json_each(?1) r CROSS JOIN action_deliveries d ON d.seq = r.value ->> 'seq'
    AND d.id = r.value ->> 'id' CROSS JOIN json_each(r.value, '$.counts') c
  WHERE CASE WHEN ${IS_ATTEMPTED} THEN NOT EXISTS (SELECT 1 FROM delivery_attempts a
      WHERE a.delivery_seq = d.seq AND a.lease_token = r.value ->> 'token')
    ELSE d.lease_token = r.value ->> 'token' END`;

const addRunCounts = sql(`UPDATE scheduled_job_runs SET counts = (SELECT json_group_object(key, total) FROM (
    SELECT key, sum(value) AS total FROM (SELECT key, value FROM json_each(scheduled_job_runs.counts)
      UNION ALL SELECT c.value, 1 ${NEW_COUNTS}) GROUP BY key))
WHERE id = ?2`);

const addJobTotals = sql(`INSERT INTO scheduled_job_counters (job, name, value)
SELECT 'retry_webhooks', 'items.' || c.value, count(*) ${NEW_COUNTS} GROUP BY c.value
ON CONFLICT (job, name) DO UPDATE SET value = value + excluded.value`);

// (results, most attempts). A requeue while the attempt ran set the count to 0: the row's own count decides, not the
// claim's. The wait is 30 s doubling to an hour, unless the receiver asked for another.
const moveAttempted = sql(`UPDATE action_deliveries SET attempt_count = attempt_count + 1,
  status = CASE WHEN x.next <> 'retry' THEN x.next WHEN attempt_count + 1 < ?2 THEN 'failed' ELSE 'dead' END,
  due_at = CASE WHEN x.next = 'retry' AND attempt_count + 1 < ?2
    THEN x.at + coalesce(x.wait_ms, min(3600000, 30000 * (1 << attempt_count))) ELSE due_at END,
  delivered_at = CASE WHEN x.next = 'delivered' THEN x.at END, last_error = x.error, last_error_code = x.code,
  locked_until = NULL, lease_token = NULL, updated_at = x.at
FROM (SELECT r.value ->> 'seq' AS seq, r.value ->> 'id' AS id, r.value ->> 'token' AS token, r.value ->> 'at' AS at,
    r.value ->> 'next' AS next, r.value ->> 'wait_ms' AS wait_ms, r.value ->> 'error_message' AS error,
    r.value ->> 'error_code' AS code
  FROM json_each(?1) r WHERE ${IS_ATTEMPTED}) x
WHERE action_deliveries.seq = x.seq AND action_deliveries.id = x.id AND action_deliveries.lease_token = x.token
  AND +action_deliveries.status IN ('pending','failed')`);

const moveUnsent = sql(`UPDATE action_deliveries SET status = CASE WHEN x.next = 'dead' THEN 'dead' ELSE status END,
  claim_count = claim_count - (x.next <> 'dead'), due_at = CASE WHEN x.next = 'postpone' THEN x.at + x.wait_ms ELSE due_at END,
  last_error = CASE WHEN x.next = 'free' THEN last_error ELSE x.error END,
  last_error_code = CASE WHEN x.next = 'free' THEN last_error_code ELSE x.code END,
  locked_until = NULL, lease_token = NULL, updated_at = CASE WHEN x.next = 'free' THEN updated_at ELSE x.at END
FROM (SELECT r.value ->> 'seq' AS seq, r.value ->> 'id' AS id, r.value ->> 'token' AS token, r.value ->> 'at' AS at,
    r.value ->> 'next' AS next, r.value ->> 'wait_ms' AS wait_ms, r.value ->> 'error_message' AS error,
    r.value ->> 'error_code' AS code
  FROM json_each(?1) r WHERE NOT ${IS_ATTEMPTED}) x
WHERE action_deliveries.seq = x.seq AND action_deliveries.id = x.id AND action_deliveries.lease_token = x.token
  AND +action_deliveries.status IN ('pending','failed')`);

export type SettleOptions = {
  maxAttempts: number;
  /** a helper adds its counts to this run; null: the run itself does, or there is none */
  helps: number | null;
};

/** The most statements that one settle is. */
export const MAX_SETTLE_STATEMENTS = 10;

/**
 * Stores results by one batch of set-based statements (details of Document 3, 4.3, 4.4), and answers the rules that have
 * begun to fail. A result whose lease is lost leaves its attempt row only; a repeat changes nothing. `statements` is what
 * it cost.
 */
export async function settleResults(
  db: Db,
  results: readonly Result[],
  { maxAttempts, helps }: SettleOptions,
): Promise<{ failing: FailingRule[]; statements: number }> {
  const list = JSON.stringify(results);
  const hasAttempts = results.some(({ status }) => status !== null);
  const hasUnsent = results.some(({ status }) => status === null);
  const answers = results.flatMap((result) => (result.status === null ? [] : [result.answered]));
  const statements = [
    noteHealth.bind(db, list),
    noteFailing.bind(db, list),
    ...(helps === null ? [] : [addRunCounts.bind(db, list, helps), addJobTotals.bind(db, list)]),
    ...(hasAttempts ? [noteAttempts.bind(db, list), countAttempts.bind(db, list)] : []),
    ...(answers.includes(1) ? [clearHosts.bind(db, list)] : []),
    ...(answers.includes(0) ? [countHosts.bind(db, list)] : []),
    ...(hasUnsent ? [moveUnsent.bind(db, list)] : []),
    ...(hasAttempts ? [moveAttempted.bind(db, list, maxAttempts)] : []),
  ];
  const [, failing] = await db.batch<[unknown, FailingRule, ...unknown[]]>(statements);
  return { failing: failing.results, statements: statements.length };
}
