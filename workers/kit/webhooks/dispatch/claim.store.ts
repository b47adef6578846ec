import type { DeliveryRow, RuleRow } from "../../../../db/kit/webhooks";
import { type Db, type SqlValue, sql } from "../../db";
import { holdsFence } from "../../jobs/runs/run.store";

/** The rule of a claimed delivery as its attempt needs it. */
type RulePart = Pick<
  RuleRow,
  | "url"
  | "secret_enc"
  | "previous_secret_enc"
  | "previous_secret_expires_at"
  | "authorization_enc"
  | "allow_private_urls"
>;

/** A claimed delivery; the columns of its rule are null when it has none. `has_rule` is 0 or 1. */
export type ClaimedRow = Omit<DeliveryRow, "locked_until" | "lease_token"> & {
  locked_until: number;
  lease_token: string;
  has_rule: number;
} & { [K in keyof RulePart]: RulePart[K] | null };

/** What a claim of either kind needs; times in unix ms. */
export type ClaimInput = {
  now: number;
  token: string;
  leaseMs: number;
  perRule: number;
  perHost: number;
  /** most rows */
  chunk: number;
};

// ?1 now, ?2 token, ?3 lease ms, ?5 per rule, ?6 per host, ?7 chunk. In flight are rows with a live lease.
const LIVE = `live AS MATERIALIZED (SELECT rule_id, host FROM action_deliveries WHERE locked_until > ?1),
rule_live AS MATERIALIZED (SELECT rule_id, count(*) AS n FROM live GROUP BY rule_id),
host_live AS MATERIALIZED (SELECT host, count(*) AS n FROM live GROUP BY host)`;

const TAKE = `UPDATE action_deliveries SET locked_until = ?1 + ?3, lease_token = ?2, claim_count = claim_count + 1,
  dispatched_at = coalesce(dispatched_at, ?1)`;

// A claim whose answer was lost may run again: it takes nothing then, and its rows are read back by the token.
const NOT_YET = "NOT EXISTS (SELECT 1 FROM action_deliveries t WHERE t.locked_until = ?1 + ?3 AND t.lease_token = ?2)";

/** The rules that have waiting rows, by skips over the index. */
export const WAITING_RULES = `rules(rule_id) AS (
  SELECT min(rule_id) FROM action_deliveries WHERE status IN ('pending','failed')
  UNION ALL
  SELECT (SELECT min(d.rule_id) FROM action_deliveries d WHERE d.status IN ('pending','failed') AND d.rule_id > r.rule_id)
  FROM rules r WHERE r.rule_id IS NOT NULL)`;

const DUE = (rule: string) => `x.status IN ('pending','failed') AND x.rule_id = ${rule} AND x.due_at <= ?4
      AND (x.locked_until IS NULL OR x.locked_until <= ?1)`;

/**
 * The claim of a retry run (details of Document 3, 4.4): (now, token, lease ms, run start, per rule, per host, chunk,
 * fence?). The oldest free due row of each enabled rule, rules with the fewest rows in flight first, then a few more of the
 * chosen rules in turn. A host without answers has one slot. The cost grows with the rules that wait, not with their rows.
 */
const claimDue = sql(`WITH RECURSIVE ${WAITING_RULES},
${LIVE},
heads AS (
  SELECT d.rule_id, d.due_at, coalesce(rl.n, 0) AS rule_n, coalesce(hl.n, 0) AS host_n,
    CASE WHEN f.consecutive_failures >= 10 THEN 1 ELSE ?6 END AS slots,
    row_number() OVER (PARTITION BY d.host ORDER BY coalesce(rl.n, 0), d.due_at, d.seq) AS nth
  FROM rules r CROSS JOIN action_deliveries d ON d.seq = (SELECT x.seq FROM action_deliveries x
      WHERE ${DUE("r.rule_id")} ORDER BY x.due_at LIMIT 1)
  LEFT JOIN action_rules a ON a.id = r.rule_id LEFT JOIN action_hosts f ON f.host = d.host
  LEFT JOIN rule_live rl ON rl.rule_id = r.rule_id LEFT JOIN host_live hl ON hl.host = d.host
  WHERE coalesce(a.enabled, 1) = 1 AND coalesce(rl.n, 0) < ?5),
chosen AS (SELECT * FROM heads WHERE host_n + nth <= slots ORDER BY rule_n, due_at LIMIT ?7),
turns AS (
  SELECT d.seq, d.host, d.due_at, c.host_n, c.slots,
    c.rule_n + row_number() OVER (PARTITION BY d.rule_id ORDER BY d.due_at, d.seq) AS turn
  FROM chosen c CROSS JOIN action_deliveries d ON d.seq IN (SELECT x.seq FROM action_deliveries x
      WHERE ${DUE("c.rule_id")} ORDER BY x.due_at LIMIT ?5)),
picked AS (
  SELECT *, host_n + row_number() OVER (PARTITION BY host ORDER BY turn, due_at, seq) AS host_turn
  FROM turns WHERE turn <= ?5)
${TAKE}
WHERE ${holdsFence("retry_webhooks", "?8")} AND ${NOT_YET}
  AND seq IN (SELECT seq FROM picked WHERE host_turn <= slots ORDER BY turn, due_at LIMIT ?7)`);

const IS_FIRST = "d.status = 'pending' AND d.dispatched_at IS NULL AND coalesce(a.enabled, 1) = 1";

/** The claim of first attempts: as claimDue among the ids ?4 (JSON), without fence and breaker. */
const claimFirst = sql(`WITH ${LIVE},
turns AS (
  SELECT d.seq, d.host, d.due_at, coalesce(hl.n, 0) AS host_n,
    coalesce(rl.n, 0) + row_number() OVER (PARTITION BY d.rule_id ORDER BY d.due_at, d.seq) AS turn
  FROM json_each(?4) j CROSS JOIN action_deliveries d ON d.id = j.value
  LEFT JOIN action_rules a ON a.id = d.rule_id
  LEFT JOIN rule_live rl ON rl.rule_id = d.rule_id LEFT JOIN host_live hl ON hl.host = d.host
  WHERE ${IS_FIRST}),
picked AS (
  SELECT *, host_n + row_number() OVER (PARTITION BY host ORDER BY turn, due_at, seq) AS host_turn
  FROM turns WHERE turn <= ?5)
${TAKE}
WHERE ${NOT_YET} AND seq IN (SELECT seq FROM picked WHERE host_turn <= ?6 ORDER BY turn, due_at LIMIT ?7)`);

/** (ids as JSON): how many of them could still get their first attempt. */
const countFirst = sql(`SELECT count(*) AS n FROM json_each(?1) j CROSS JOIN action_deliveries d ON d.id = j.value
LEFT JOIN action_rules a ON a.id = d.rule_id WHERE ${IS_FIRST}`);

/** (lease end, token): what a claim took, with the rules. */
const findClaimed = sql(`SELECT d.*, r.id IS NOT NULL AS has_rule, r.url, r.secret_enc, r.previous_secret_enc,
  r.previous_secret_expires_at, r.authorization_enc, r.allow_private_urls
FROM action_deliveries d LEFT JOIN action_rules r ON r.id = d.rule_id
WHERE d.locked_until = ?1 AND d.lease_token = ?2`);

function valuesOf(input: ClaimInput, fourth: SqlValue): SqlValue[] {
  return [input.now, input.token, input.leaseMs, fourth, input.perRule, input.perHost, input.chunk];
}

/** Claims due rows for a retry run in one round trip; `runStart` in unix ms, `fence` null when the run took no lock. */
export async function claimDueRows(
  db: Db,
  input: ClaimInput & { runStart: number; fence: number | null },
): Promise<ClaimedRow[]> {
  const [, claimed] = await db.batch<[unknown, ClaimedRow]>([
    claimDue.bind(db, ...valuesOf(input, input.runStart), input.fence),
    findClaimed.bind(db, input.now + input.leaseMs, input.token),
  ]);
  return claimed.results;
}

/** Claims the first attempts among `ids` in one round trip, and says how many of the ids are left for another claim. */
export async function claimFirstRows(
  db: Db,
  input: ClaimInput & { ids: readonly string[] },
): Promise<{ rows: ClaimedRow[]; left: number }> {
  const ids = JSON.stringify(input.ids);
  const [, claimed, left] = await db.batch<[unknown, ClaimedRow, { n: number }]>([
    claimFirst.bind(db, ...valuesOf(input, ids)),
    findClaimed.bind(db, input.now + input.leaseMs, input.token),
    countFirst.bind(db, ids),
  ]);
  return { rows: claimed.results, left: left.results[0]?.n ?? 0 };
}

const countDue = sql(`WITH RECURSIVE ${WAITING_RULES}
SELECT coalesce(sum((SELECT count(*) FROM action_deliveries x WHERE ${DUE("r.rule_id")})), 0) AS n
FROM rules r LEFT JOIN action_rules a ON a.id = r.rule_id
WHERE r.rule_id IS NOT NULL AND coalesce(a.enabled, 1) = 1`);

/** How many deliveries a retry run that starts now (unix ms) would find due; for `--dry-run`. */
export async function countDueRows(db: Db, now: number): Promise<number> {
  const row = await db.first<{ n: number }>(countDue.bind(db, now, null, null, now));
  return row?.n ?? 0;
}
