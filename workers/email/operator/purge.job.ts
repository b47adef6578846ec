import { agedRows, oldJobRuns, type PurgeTarget, purgeJob } from "../../kit/jobs/purge.job";
import { endedSecrets, finishedWebhooks, quietHosts } from "../../kit/webhooks/purge.store";
import type { EmailServices } from "../services";

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 400;

// The key begins with the company: the old days are looked up company by company, so that no recent row is read.
const oldStats: PurgeTarget<EmailServices> = {
  name: "stats_days",
  table: "stats_days",
  find: (bound) => `WITH RECURSIVE companies(id) AS (
  SELECT min(company_id) FROM stats_days
  UNION ALL
  SELECT (SELECT min(s.company_id) FROM stats_days s WHERE s.company_id > companies.id) FROM companies WHERE companies.id IS NOT NULL)
SELECT s.rowid FROM companies CROSS JOIN stats_days s WHERE s.company_id = companies.id AND s.day < ${bound("day")}`,
  bounds: (_services, now) => ({ day: new Date(now - HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10) }),
};

const eventRetention = ({ settings }: EmailServices, now: number) => now - settings.eventRetentionDays * DAY_MS;

/** What is purged, and how long it is kept. */
export const purgeExpiredData = purgeJob<EmailServices>([
  agedRows({ name: "events", table: "event_log", column: "created_at", cut: eventRetention }),
  finishedWebhooks(eventRetention),
  oldJobRuns,
  // Events of a message go with it (foreign key).
  agedRows({
    ...{ name: "messages", table: "messages", column: "accepted_at", cascades: true },
    terms: "status NOT IN ('queued','sending','retrying')",
    cut: ({ settings }, now) => now - settings.messageRetentionDays * DAY_MS,
  }),
  agedRows({
    ...{ name: "send_requests", table: "send_requests", column: "created_at" },
    cut: ({ settings }, now) => now - settings.idempotencyMs,
  }),
  agedRows({
    ...{ name: "suppressions", table: "suppressions", column: "expires_at" },
    terms: "expires_at IS NOT NULL",
    cut: (_services, now) => now,
  }),
  agedRows({
    ...{ name: "audit_log", table: "audit_log", column: "at" },
    cut: (_services, now) => now - HISTORY_DAYS * DAY_MS,
  }),
  oldStats,
  endedSecrets,
  quietHosts,
]);
