import { type Db, type SqlValue, type Statement, sql } from "../../kit/db";

/** Rows of one statement (email details 13). */
const PURGE_SIZE = 2000;

// Events go with their message (foreign key).
const purgeMessages = sql(`DELETE FROM messages WHERE id IN (SELECT id FROM messages
  WHERE accepted_at < ?1 AND status NOT IN ('queued','sending','retrying') ORDER BY accepted_at LIMIT ${PURGE_SIZE})`);

const purgeRequests = sql(`DELETE FROM send_requests
WHERE id IN (SELECT id FROM send_requests WHERE created_at < ?1 LIMIT ${PURGE_SIZE})`);

const purgeSuppressions = sql(`DELETE FROM suppressions
WHERE id IN (SELECT id FROM suppressions WHERE expires_at IS NOT NULL AND expires_at < ?1 LIMIT ${PURGE_SIZE})`);

// The key begins with the company: the old days are looked up company by company, so that no recent row is read.
const purgeStats = sql(`WITH RECURSIVE companies(id) AS (
  SELECT min(company_id) FROM stats_days
  UNION ALL
  SELECT (SELECT min(s.company_id) FROM stats_days s WHERE s.company_id > companies.id) FROM companies WHERE companies.id IS NOT NULL
)
DELETE FROM stats_days WHERE rowid IN (SELECT s.rowid FROM companies CROSS JOIN stats_days s
  WHERE s.company_id = companies.id AND s.day < ?1 LIMIT ${PURGE_SIZE})`);

const purgeAudit = sql(`DELETE FROM audit_log
WHERE id IN (SELECT id FROM audit_log WHERE at < ?1 LIMIT ${PURGE_SIZE})`);

/** Oldest times that are kept: unix ms, `day` an ISO date. */
export type PurgeBounds = { messages: number; requests: number; suppressions: number; audit: number; day: string };

/** One kind of row. `run` deletes at most 2000 of them, events of messages aside, and answers whether more may be left. */
export type Purge = { name: string; run: (db: Db) => Promise<boolean> };

/** The purges of this service, in order. */
export function purgesOf(bounds: PurgeBounds): Purge[] {
  const purge = (name: string, statement: Statement, bound: SqlValue): Purge => ({
    name,
    run: async (db) => (await db.run(statement.bind(db, bound))).meta.changes >= PURGE_SIZE,
  });
  return [
    purge("messages", purgeMessages, bounds.messages),
    purge("send_requests", purgeRequests, bounds.requests),
    purge("suppressions", purgeSuppressions, bounds.suppressions),
    purge("audit_log", purgeAudit, bounds.audit),
    purge("stats_days", purgeStats, bounds.day),
  ];
}
