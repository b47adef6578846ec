import type { sender_breakers } from "../../../db/email/schema";
import { sql } from "../../kit/db";
import { CLAIMED, HELD } from "./lease.store";

/** A breaker in the table: `failures` in a row, `open_until` unix ms (0: never open), `opens` in a row. */
export type BreakerRow = typeof sender_breakers.$inferSelect;

/** Retryable failures in a row, without any acceptance, that open a breaker (email details 5.6). */
export const FAILURES_TO_OPEN = 5;

/** Bind: ids (JSON), token, lane. The breakers of the companies of a claim, both scopes. */
export const claimedBreakers = sql(`SELECT * FROM sender_breakers WHERE scope IN ('company', 'platform')
  AND company_id IN (SELECT m.company_id ${CLAIMED}) AND lane = ?3`);

// Both statements look at the lease, so a repeat of the batch counts nothing twice; they add to what is stored, so
// consumers side by side count together.

/** Bind: settlements (JSON). An acceptance closes the breaker and forgets the failures before it; answers the closed ones. */
export const closeBreakers = sql(`DELETE FROM sender_breakers WHERE (scope, company_id, lane) IN (
  SELECT r.value ->> 'scope', m.company_id, m.lane ${HELD} AND r.value ->> 'breaker' = 'accepted')
RETURNING *`);

const openMs = (opens: string) => `min(600000, 60000 << min(${opens}, 4))`;
const opensNow = `open_until <= ?2 AND failures + excluded.failures >= ${FAILURES_TO_OPEN}`;

/**
 * Bind: settlements (JSON), now (ms). Counts failures; enough of them open a breaker for 60 s, and so does the next one
 * after that time, each time for twice as long up to 600 s. Answers the breakers with `opened_ms`: how long one opened
 * by this statement stays open, else null.
 */
export const countFailures = sql(`INSERT INTO sender_breakers (scope, company_id, lane, failures, open_until, opens)
SELECT r.value ->> 'scope', m.company_id, m.lane, count(*),
  CASE WHEN count(*) >= ${FAILURES_TO_OPEN} THEN ?2 + ${openMs("0")} ELSE 0 END, count(*) >= ${FAILURES_TO_OPEN}
${HELD} AND r.value ->> 'breaker' = 'failed' GROUP BY 1, 2, 3
ON CONFLICT (scope, company_id, lane) DO UPDATE SET failures = failures + excluded.failures,
  open_until = CASE WHEN ${opensNow} THEN ?2 + ${openMs("opens")} ELSE open_until END,
  opens = opens + (${opensNow})
RETURNING *, CASE WHEN opens > 0 AND open_until = ?2 + ${openMs("opens - 1")} THEN open_until - ?2 END AS opened_ms`);

/** Bind: company id. Closes the breakers of the company's own sender; runs with new credentials (email details 6.1). */
export const closeCompanyBreakers = sql("DELETE FROM sender_breakers WHERE scope = 'company' AND company_id = ?1");
