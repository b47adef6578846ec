import { and, eq, inArray, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { idBefore } from "../../../db/kit/ids";
import {
  action_deliveries as deliveries,
  type EventLogTable,
  action_hosts as hosts,
  action_rules as rules,
} from "../../../db/kit/webhooks";
import { assignments, tableReference } from "../db/query";
import { agedRows, oldJobRuns, type PurgeTarget } from "../jobs/purge/purge.store";
import { DAY_MS } from "../time";

type Cutoff<S> = (services: S, now: number) => number;

/** A host that has not failed for this many days counts as responding. */
const HOST_DAYS = 7;

const isFinished = inArray(deliveries.status, ["delivered", "dead"]);

/**
 * Purge target: events past their retention. The SELECT scans the key, one company after the other and oldest events first.
 * `companies` is a LEFT JOIN of the companies (`ids.id`) that have their own `retentionMs`. For all others, the value of
 * `retain` (ms) applies.
 */
export function oldEvents<S>(
  log: EventLogTable,
  retain: (services: S) => number,
  { companies = sql``, retentionMs = sql`null` }: { companies?: SQL; retentionMs?: SQL } = {},
): PurgeTarget<S> {
  const event = alias(log, "event") as unknown as EventLogTable;
  return {
    name: "events",
    table: log,
    key: [log.company_id, log.id],
    find: (bound: (name: string) => SQL) => sql`with recursive ids(id) as (
      select min(${log.company_id}) from ${log} where ${log.company_id} >= ${bound("from")}
      union all select (select min(${event.company_id}) from ${tableReference(event)}
        where ${event.company_id} > ids.id) from ids
      where ids.id is not null)
    select ${event.company_id}, ${event.id} from ids ${companies}
      cross join ${tableReference(event)} where ${event.company_id} = ids.id
      and ${event.id} < ${idBefore(sql`${bound("now")} - coalesce(${retentionMs}, ${bound("retention")})`)}`,
    bounds: (services, now) => ({ from: 0, now, retention: retain(services) }),
    resumesAt: { bound: "from", column: log.company_id },
  };
}

/**
 * Purge target: finished deliveries of webhooks and callbacks before the cut-off time (unix ms), and their attempts.
 */
export function finishedWebhooks<S>(cutoff: Cutoff<S>): PurgeTarget<S> {
  const find = (kind: "webhook" | "callback", bound: SQL) =>
    sql`select ${deliveries.seq} from ${deliveries}
      where ${and(isFinished, eq(deliveries.kind, kind), lt(deliveries.created_at, bound))}`;
  return {
    name: "webhook_deliveries",
    table: deliveries,
    find: (bound: (name: string) => SQL) =>
      sql`${find("webhook", bound("cutoff"))} union all ${find("callback", bound("cutoff"))}`,
    bounds: (services, now) => ({ cutoff: cutoff(services, now) }),
    cascades: true,
  };
}

/** Purge target: finished posts to the email service before the cut-off time (unix ms). */
export function finishedEmailPosts<S>(cutoff: Cutoff<S>): PurgeTarget<S> {
  return agedRows({
    name: "email_events",
    table: deliveries,
    column: deliveries.created_at,
    terms: sql`${isFinished} and ${eq(deliveries.kind, "email")}`,
    cutoff,
    cascades: true,
  });
}

/** Purge target: hosts that have not failed for 7 days. They are not counted. */
export const quietHosts: PurgeTarget<unknown> = agedRows({
  name: "action_hosts",
  table: hosts,
  key: [hosts.host],
  column: hosts.last_failure_at,
  cutoff: (_services, now) => now - HOST_DAYS * DAY_MS,
  isCounted: false,
});

/** Purge target: previous secrets whose overlap has ended. They are not counted. */
export const endedSecrets: PurgeTarget<unknown> = {
  ...agedRows({
    name: "previous_secrets",
    table: rules,
    column: rules.previous_secret_expires_at,
    terms: isNotNull(rules.previous_secret_expires_at),
    cutoff: (_services, now) => now,
    isCounted: false,
  }),
  clears: () => assignments(rules, { previous_secret_enc: null, previous_secret_expires_at: null }),
};

/**
 * Returns the purge targets of a service that stores the events of every company, and platform events, for
 * `EVENT_LOG_RETENTION_DAYS`. They are in the order in which they are reported.
 */
export function expiredRowsOf<S extends { settings: { eventRetentionDays: number } }>(
  log: EventLogTable,
): PurgeTarget<S>[] {
  const retain = ({ settings }: S) => settings.eventRetentionDays * DAY_MS;
  const cutoff = (services: S, now: number) => now - retain(services);
  return [
    oldEvents(log, retain),
    finishedWebhooks(cutoff),
    finishedEmailPosts(cutoff),
    oldJobRuns,
    endedSecrets,
    quietHosts,
  ];
}
