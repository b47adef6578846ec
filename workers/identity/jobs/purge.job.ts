import { agedRows, oldJobRuns, type PurgeTarget, purgeJob } from "../../kit/jobs/purge.job";
import { endedSecrets, quietHosts } from "../../kit/webhooks/purge.store";
import type { IdentityServices } from "../services";

type Target = PurgeTarget<IdentityServices>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Codes and states of sign-ins live 10 minutes at most. */
const shortLifeMs = 600_000;

const before = (keepMs: number) => (_services: IdentityServices, now: number) => now - keepMs;

/**
 * Rows past the retention of their company, or past the setting's when the company is gone. Old rows are looked up company
 * by company through an index of (company_id, created_at), so that no younger row is read.
 */
const pastRetention = (table: string, key: string, bound: (name: string) => string) => `WITH RECURSIVE ids(id) AS (
  SELECT min(company_id) FROM ${table}
  UNION ALL SELECT (SELECT min(t.company_id) FROM ${table} t WHERE t.company_id > ids.id) FROM ids WHERE ids.id IS NOT NULL)
SELECT t.${key} FROM ids LEFT JOIN companies c ON c.id = ids.id CROSS JOIN ${table} t
  WHERE t.company_id = ids.id
    AND t.created_at < ${bound("now")} - coalesce(c.data_retention_days * ${dayMs}, ${bound("retention")})`;

const retention: Target["bounds"] = ({ settings }, now) => ({ now, retention: settings.eventRetentionDays * dayMs });

const oldEvents: Target = {
  name: "events",
  table: "event_log",
  find: (bound) => `${pastRetention("event_log", "id", bound)}
UNION ALL
SELECT e.id FROM event_log e WHERE e.company_id IS NULL AND e.created_at < ${bound("now")} - ${bound("retention")}`,
  bounds: retention,
};

/** Finished deliveries of one kind; waiting ones stay whatever their age. */
const finishedDeliveries = (name: string, kind: "webhook" | "email"): Target => ({
  name,
  table: "action_deliveries",
  find: (bound) => `${pastRetention("action_deliveries", "seq", bound)}
    AND t.status IN ('delivered','dead') AND t.kind = '${kind}'`,
  bounds: retention,
  cascades: true,
});

/** Rows that ended in one of two ways are found by the index of each, and stand in one of the two only. */
function endedRows(name: string, table: string, endsAt: string, keepMs: number): Target {
  return {
    name,
    table,
    find: (bound) => `SELECT rowid FROM ${table} WHERE ${endsAt} < ${bound("cut")}
UNION ALL SELECT rowid FROM ${table}
  WHERE revoked_at IS NOT NULL AND revoked_at < ${bound("cut")} AND +${endsAt} >= ${bound("cut")}`,
    bounds: (_services, now) => ({ cut: now - keepMs }),
  };
}

/** Rows of a short life that expired or were used an hour ago. */
function usedRows(table: string, usedAt: string): Target {
  return {
    name: table,
    table,
    find: (bound) => `SELECT rowid FROM ${table}
  WHERE expires_at < ${bound("cut")} + ${shortLifeMs} AND (expires_at < ${bound("cut")} OR ${usedAt} < ${bound("cut")})`,
    bounds: (_services, now) => ({ cut: now - hourMs }),
  };
}

/** What is purged, and how long after its end. */
export const purgeExpiredData = purgeJob<IdentityServices>([
  oldEvents,
  finishedDeliveries("webhook_deliveries", "webhook"),
  finishedDeliveries("email_events", "email"),
  oldJobRuns,
  agedRows({
    ...{ name: "sign_in_requests", table: "sign_in_requests", column: "expires_at", cut: before(dayMs) },
  }),
  usedRows("auth_codes", "redeemed_at"),
  usedRows("oauth_states", "used_at"),
  endedRows("sessions", "sessions", "idle_expires_at", 7 * dayMs),
  endedRows("personal_access_tokens", "personal_access_tokens", "expires_at", 30 * dayMs),
  agedRows({
    ...{ name: "mails", table: "mail_outbox", column: "created_at", cut: before(dayMs) },
    terms: "state <> 'waiting'",
  }),
  // Active people are counted over one month at most; a person seen again counts on the new day alone.
  agedRows({
    ...{ name: "seen_days", table: "seen_days", column: "day", isCounted: false },
    cut: (_services, now) => Math.floor((now - 40 * dayMs) / dayMs),
  }),
  endedSecrets,
  quietHosts,
]);
