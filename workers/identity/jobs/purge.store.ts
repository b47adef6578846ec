import { and, eq, inArray, lt, ne, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  action_deliveries,
  auth_codes,
  companies,
  event_log,
  mail_outbox,
  oauth_states,
  personal_access_tokens,
  seen_days,
  sessions,
  sign_in_requests,
} from "../../../db/identity/schema";
import { from } from "../../kit/db/query";
import { agedRows, oldJobRuns, type PurgeTarget } from "../../kit/jobs/purge.store";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../kit/time";
import { endedSecrets, oldEvents, quietHosts } from "../../kit/webhooks/purge.store";

type Services = { settings: { eventRetentionDays: number } };
type Target = PurgeTarget<Services>;
type Bound = (name: string) => SQL;

/** Codes and states of sign-ins live 10 minutes at most. */
const SHORT_LIFE_MS = 10 * MINUTE_MS;
/** Active people are counted over one month at most. */
const SEEN_DAYS = 40;

const before = (keepMs: number) => (_services: unknown, now: number) => now - keepMs;

const d = alias(action_deliveries, "t");
const c = alias(companies, "c");

/**
 * Deliveries past the retention of their company, or past the setting's when the company is gone. Old rows are looked up
 * company by company through an index of (company_id, created_at), so that no younger row is read.
 */
function pastRetention(bound: Bound): SQL {
  return sql`with recursive ids(id) as (
    select min(${action_deliveries.company_id}) from ${action_deliveries}
    union all select (select min(${d.company_id}) from ${from(d)} where ${d.company_id} > ids.id) from ids
    where ids.id is not null)
  select ${d.seq} from ids left join ${from(c)} on ${c.id} = ids.id cross join ${from(d)}
    where ${d.company_id} = ids.id
      and ${d.created_at} < ${bound("now")} - coalesce(${c.data_retention_days} * ${DAY_MS}, ${bound("retention")})`;
}

const retention: Target["bounds"] = ({ settings }, now) => ({ now, retention: settings.eventRetentionDays * DAY_MS });

const eventsPastRetention: Target = oldEvents(event_log, ({ settings }) => settings.eventRetentionDays * DAY_MS, {
  companies: sql`left join ${from(c)} on ${c.id} = ids.id`,
  retentionMs: sql`${c.data_retention_days} * ${DAY_MS}`,
});

/** Finished deliveries of one kind; waiting ones stay whatever their age. */
function finishedDeliveries(name: string, kind: "webhook" | "email"): Target {
  const isFinished = and(inArray(d.status, ["delivered", "dead"]), eq(d.kind, kind));
  return {
    name,
    table: action_deliveries,
    find: (bound: Bound) => sql`${pastRetention(bound)} and ${isFinished}`,
    bounds: retention,
    cascades: true,
  };
}

/** Rows that ended in one of two ways are found by the index of each, and stand in one of the two only. */
function endedRows<T extends SQLiteTable & { revoked_at: AnySQLiteColumn }>(
  ...[name, table, endsAt, keepMs]: [name: string, table: T, endsAt: AnySQLiteColumn, keepMs: number]
): Target {
  return {
    name,
    table,
    find: (bound: Bound) => sql`select rowid from ${table} where ${lt(endsAt, bound("cut"))}
      union all select rowid from ${table}
      where ${table.revoked_at} is not null and ${table.revoked_at} < ${bound("cut")} and +${endsAt} >= ${bound("cut")}`,
    bounds: (_services, now) => ({ cut: now - keepMs }),
  };
}

/** Rows of a short life that expired or were used an hour ago. */
function usedRows(name: string, table: SQLiteTable & { expires_at: AnySQLiteColumn }, usedAt: AnySQLiteColumn): Target {
  return {
    name,
    table,
    find: (
      bound: Bound,
    ) => sql`select rowid from ${table} where ${table.expires_at} < ${bound("cut")} + ${SHORT_LIFE_MS}
      and (${lt(table.expires_at, bound("cut"))} or ${lt(usedAt, bound("cut"))})`,
    bounds: (_services, now) => ({ cut: now - HOUR_MS }),
  };
}

/** What is purged, and how long after its end, in the order in which it is reported. */
export const expiredRows: Target[] = [
  eventsPastRetention,
  finishedDeliveries("webhook_deliveries", "webhook"),
  finishedDeliveries("email_events", "email"),
  oldJobRuns,
  agedRows({
    ...{ name: "sign_in_requests", table: sign_in_requests, column: sign_in_requests.expires_at, cut: before(DAY_MS) },
  }),
  usedRows("auth_codes", auth_codes, auth_codes.redeemed_at),
  usedRows("oauth_states", oauth_states, oauth_states.used_at),
  endedRows("sessions", sessions, sessions.idle_expires_at, 7 * DAY_MS),
  endedRows("personal_access_tokens", personal_access_tokens, personal_access_tokens.expires_at, 30 * DAY_MS),
  agedRows({
    ...{ name: "mails", table: mail_outbox, column: mail_outbox.created_at, cut: before(DAY_MS) },
    terms: ne(mail_outbox.state, "waiting"),
  }),
  // A person seen again counts on the new day alone.
  agedRows({
    ...{ name: "seen_days", table: seen_days, column: seen_days.day, isCounted: false },
    cut: (_services, now) => Math.floor(now / DAY_MS) - SEEN_DAYS,
  }),
  endedSecrets,
  quietHosts,
];
