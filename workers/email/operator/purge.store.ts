import { isNotNull, notInArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { audit_log, event_log, messages, send_requests, stats_days, suppressions } from "../../../db/email/schema";
import { from } from "../../kit/db/query";
import { agedRows, oldJobRuns, type PurgeTarget } from "../../kit/jobs/purge.store";
import { DAY_MS } from "../../kit/time";
import { endedSecrets, finishedWebhooks, oldEvents, quietHosts } from "../../kit/webhooks/purge.store";

type Services = { settings: { eventRetentionDays: number; messageRetentionDays: number; idempotencyMs: number } };

const HISTORY_DAYS = 400;

const eventRetention = ({ settings }: Services, now: number) => now - settings.eventRetentionDays * DAY_MS;
const historyRetention = (_services: Services, now: number) => now - HISTORY_DAYS * DAY_MS;

const s = alias(stats_days, "s");

// The key begins with the company: the old days are looked up company by company, so that no recent row is read.
const oldStats: PurgeTarget<Services> = {
  name: "stats_days",
  table: stats_days,
  find: (bound: (name: string) => SQL) => sql`with recursive companies(id) as (
    select min(${stats_days.company_id}) from ${stats_days}
    union all
    select (select min(${s.company_id}) from ${from(s)} where ${s.company_id} > companies.id)
    from companies where companies.id is not null)
  select s.rowid from companies cross join ${from(s)} where ${s.company_id} = companies.id and ${s.day} < ${bound("day")}`,
  bounds: (services, now) => ({ day: new Date(historyRetention(services, now)).toISOString().slice(0, 10) }),
};

/** What is purged, in the order in which it is reported, and how long it is kept. */
export const expiredRows: PurgeTarget<Services>[] = [
  oldEvents(event_log, ({ settings }) => settings.eventRetentionDays * DAY_MS),
  finishedWebhooks(eventRetention),
  oldJobRuns,
  // Events of a message go with it (foreign key).
  agedRows({
    ...{ name: "messages", table: messages, column: messages.accepted_at, cascades: true },
    terms: notInArray(messages.status, ["queued", "sending", "retrying"]),
    cut: ({ settings }, now) => now - settings.messageRetentionDays * DAY_MS,
  }),
  agedRows({
    ...{ name: "send_requests", table: send_requests, column: send_requests.created_at },
    cut: ({ settings }, now) => now - settings.idempotencyMs,
  }),
  agedRows({
    ...{ name: "suppressions", table: suppressions, column: suppressions.expires_at },
    terms: isNotNull(suppressions.expires_at),
    cut: (_services, now) => now,
  }),
  agedRows({ name: "audit_log", table: audit_log, column: audit_log.at, cut: historyRetention }),
  oldStats,
  endedSecrets,
  quietHosts,
];
