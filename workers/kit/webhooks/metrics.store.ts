import { type Db, sql } from "../db";
import { WAITING_RULES } from "./dispatch/claim.store";

/** One figure of a scrape: `deliveries.{status}`, `oldest_due_at` (unix ms), `rules_failing`, `hosts_limited`, or a stored total. */
export type FigureRow = { name: string; value: number | null };

const DAY_MS = 86_400_000;

const WAITING = `SELECT d.status, count(*) AS n, min(CASE WHEN coalesce(a.enabled, 1) = 1 THEN d.due_at END) AS due_at`;
const WAITING_FIGURES = `SELECT 'deliveries.' || status AS name, n AS value FROM waiting
UNION ALL SELECT 'oldest_due_at', min(due_at) FROM waiting`;

// The indexes hold the unhealthy rules and the silent hosts alone; their terms stand here as they stand there.
const FAILING = `(failing_since IS NOT NULL OR health_reason IS NOT NULL)
  AND (CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END) <= ?1 - ${DAY_MS}`;
const LIMITED = "consecutive_failures >= 10";

// (now): webhooks and callbacks of every company; a scrape has few statements, so all figures come by one.
const ofAll = sql(`WITH RECURSIVE ${WAITING_RULES},
waiting AS MATERIALIZED (${WAITING} FROM rules r LEFT JOIN action_rules a ON a.id = r.rule_id
  CROSS JOIN action_deliveries d ON d.rule_id = r.rule_id AND d.status IN ('pending','failed') AND d.kind <> 'email'
  GROUP BY d.status)
${WAITING_FIGURES}
UNION ALL SELECT 'rules_failing', count(*) FROM action_rules WHERE ${FAILING}
UNION ALL SELECT 'hosts_limited', count(*) FROM action_hosts WHERE ${LIMITED}
UNION ALL SELECT name, value FROM action_counters WHERE company_id = 0`);

// (now, company): its webhooks; it has at most 100 rules.
const ofCompany = sql(`WITH waiting AS MATERIALIZED (${WAITING} FROM action_rules a
  CROSS JOIN action_deliveries d ON d.rule_id = a.id AND d.status IN ('pending','failed')
  WHERE a.company_id = ?2 GROUP BY d.status)
${WAITING_FIGURES}
UNION ALL SELECT 'rules_failing', count(*) FROM action_rules WHERE company_id = ?2 AND ${FAILING}
UNION ALL SELECT 'hosts_limited', count(*) FROM action_hosts
  WHERE ${LIMITED} AND host IN (SELECT host FROM action_rules WHERE company_id = ?2)
UNION ALL SELECT name, value FROM action_counters WHERE company_id = ?2`);

/** The one statement of a scrape that reads the figures of Actions, of a company or, for null, of all; `now` is unix ms. */
export function actionsFigures(db: Db, companyId: number | null, now: number): D1PreparedStatement {
  return companyId === null ? ofAll.bind(db, now) : ofCompany.bind(db, now, companyId);
}
