import { and, eq, inArray, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  action_deliveries,
  auth_codes,
  companies,
  event_log,
  invitations,
  mail_outbox,
  oauth_states,
  personal_access_tokens,
  scim_events,
  scim_tokens,
  sessions,
  sign_in_requests,
} from "../../../../db/identity/schema";
import { idBefore } from "../../../../db/kit/ids";
import { tableReference } from "../../../kit/db/query";
import { oldJobRuns, type PurgeTarget } from "../../../kit/jobs/purge/purge.store";
import type { ScannedTarget } from "../../../kit/jobs/purge/purge-scan.store";
import { DAY_MS, HOUR_MS } from "../../../kit/time";
import { endedSecrets, oldEvents, quietHosts } from "../../../kit/webhooks/purge.store";

type Services = { settings: { eventRetentionDays: number } };
type Target = PurgeTarget<Services>;
type Bound = (name: string) => SQL;

type OwnedTable = SQLiteTable & Record<"company_id" | "created_at", AnySQLiteColumn>;

/**
 * Returns the recursive common table expression `ids(id)`: the companies that have rows in the table. It jumps from company
 * to company in an index.
 */
function companiesOf(table: OwnedTable): SQL {
  const later = alias(table, "later");
  return sql`ids(id) as (
    select min(${table.company_id}) from ${table}
    union all select (select min(${later.company_id}) from ${tableReference(later)} where ${later.company_id} > ids.id) from ids
    where ids.id is not null)`;
}

const company = alias(companies, "company");
const delivery = alias(action_deliveries, "delivery");

/**
 * Selects deliveries older than the retention of their company, or than the retention setting if the company is deleted.
 * Finds old rows per company through an index of (company_id, created_at), so that it reads no newer row.
 */
function pastRetention(bound: Bound): SQL {
  return sql`with recursive ${companiesOf(action_deliveries)}
  select ${delivery.seq} from ids left join ${tableReference(company)} on ${company.id} = ids.id cross join ${tableReference(delivery)}
    where ${delivery.company_id} = ids.id
      and ${delivery.created_at} < ${bound("now")} - coalesce(${company.data_retention_days} * ${DAY_MS}, ${bound("retention")})`;
}

const retention: Target["bounds"] = ({ settings }, now) => ({ now, retention: settings.eventRetentionDays * DAY_MS });

const eventsPastRetention: Target = oldEvents(event_log, ({ settings }) => settings.eventRetentionDays * DAY_MS, {
  companies: sql`left join ${tableReference(company)} on ${company.id} = ids.id`,
  retentionMs: sql`${company.data_retention_days} * ${DAY_MS}`,
});

/** Returns the purge target of finished deliveries of one kind. Waiting deliveries are kept, whatever their age. */
function finishedDeliveries(name: string, kind: "webhook" | "email"): Target {
  const isFinished = and(inArray(delivery.status, ["delivered", "dead"]), eq(delivery.kind, kind));
  return {
    name,
    table: action_deliveries,
    find: (bound: Bound) => sql`${pastRetention(bound)} and ${isFinished}`,
    bounds: retention,
    cascades: true,
  };
}

/**
 * Returns the purge target of short-lived rows that expired or were used more than an hour ago. Finds old rows per company,
 * as pastRetention does.
 */
function usedRows<T extends OwnedTable & { expires_at: AnySQLiteColumn }>(
  ...[name, table, key, usedAt]: [
    name: string,
    table: T,
    key: (row: T) => AnySQLiteColumn,
    used: (row: T) => AnySQLiteColumn,
  ]
): Target {
  const candidate = alias(table, "candidate") as unknown as T;
  return {
    name,
    table,
    key: [key(table)],
    find: (bound: Bound) => sql`with recursive ${companiesOf(table)}
      select ${key(candidate)} from ids cross join ${tableReference(candidate)} where ${candidate.company_id} = ids.id and ${lt(candidate.created_at, bound("cutoff"))}
        and (${lt(candidate.expires_at, bound("cutoff"))} or ${lt(usedAt(candidate), bound("cutoff"))})`,
    bounds: (_services, now) => ({ cutoff: now - HOUR_MS }),
  };
}

/**
 * Returns the purge target of tokens that expired or were revoked more than `retentionMs` ago. Each half of the union uses one
 * index. The second half excludes the rows of the first half.
 */
function endedTokens(name: string, retentionMs: number): Target {
  const { id, expires_at, revoked_at } = personal_access_tokens;
  return {
    name,
    table: personal_access_tokens,
    key: [id],
    find: (bound: Bound) => sql`select ${id} from ${personal_access_tokens} where ${lt(expires_at, bound("cutoff"))}
      union all select ${id} from ${personal_access_tokens}
      where ${revoked_at} is not null and ${revoked_at} < ${bound("cutoff")} and +${expires_at} >= ${bound("cutoff")}`,
    bounds: (_services, now) => ({ cutoff: now - retentionMs }),
  };
}

/**
 * Returns the purge target of rows with a time-ordered id that are older than `retentionMs` and for which `isPastRetention` is true. `cutoff`
 * is the time `retentionMs` ago.
 */
function scannedRows(
  ...[name, table, retentionMs, isPastRetention]: [
    name: string,
    table: SQLiteTable & { id: AnySQLiteColumn },
    retentionMs: number,
    isPastRetention: (cutoff: SQL) => SQL | undefined,
  ]
): ScannedTarget<Services> {
  return {
    name,
    table,
    key: table.id,
    ageMs: retentionMs,
    isExpired: (bound) => isPastRetention(bound("cutoff")),
    bounds: (_services, now) => ({ cutoff: now - retentionMs }),
  };
}

/** The entries of directory changes that are older than 30 days. Finds them per company, by their time-ordered ids. */
const oldDirectoryChanges: Target = {
  name: "scim_events",
  table: scim_events,
  key: [scim_events.company_id, scim_events.id],
  find: (bound: Bound) => {
    const change = alias(scim_events, "change");
    return sql`with recursive ${companiesOf(scim_events)}
      select ${change.company_id}, ${change.id} from ids cross join ${tableReference(change)}
      where ${change.company_id} = ids.id and ${change.id} < ${idBefore(bound("cutoff"))}`;
  },
  bounds: (_services, now) => ({ cutoff: now - 30 * DAY_MS }),
};

/** The SCIM tokens that were revoked more than 30 days ago. */
const revokedScimTokens: Target = {
  name: "scim_tokens",
  table: scim_tokens,
  key: [scim_tokens.id],
  find: (bound: Bound) => sql`select ${scim_tokens.id} from ${scim_tokens}
    where ${scim_tokens.revoked_at} is not null and ${scim_tokens.revoked_at} < ${bound("cutoff")}`,
  bounds: (_services, now) => ({ cutoff: now - 30 * DAY_MS }),
};

/** The rows that the purge deletes, and how long they are kept after their end, in the order of the job's report. */
export const expiredRows: (Target | ScannedTarget<Services>)[] = [
  eventsPastRetention,
  finishedDeliveries("webhook_deliveries", "webhook"),
  finishedDeliveries("email_events", "email"),
  oldJobRuns,
  scannedRows("sign_in_requests", sign_in_requests, DAY_MS, (cutoff) => lt(sign_in_requests.expires_at, cutoff)),
  usedRows(
    "auth_codes",
    auth_codes,
    (row) => row.code_hash,
    (row) => row.redeemed_at,
  ),
  usedRows(
    "oauth_states",
    oauth_states,
    (row) => row.state_hash,
    (row) => row.used_at,
  ),
  scannedRows("sessions", sessions, 7 * DAY_MS, (cutoff) =>
    or(lt(sessions.idle_expires_at, cutoff), lt(sessions.revoked_at, cutoff)),
  ),
  endedTokens("personal_access_tokens", 30 * DAY_MS),
  scannedRows("mails", mail_outbox, DAY_MS, (cutoff) =>
    and(lt(mail_outbox.created_at, cutoff), ne(mail_outbox.state, "waiting")),
  ),
  // A revoked invitation blocks its address until it is lifted.
  scannedRows("invitations", invitations, 90 * DAY_MS, (cutoff) =>
    or(
      lt(invitations.accepted_at, cutoff),
      and(eq(invitations.status, sql`'pending'`), lt(invitations.expires_at, cutoff)),
    ),
  ),
  oldDirectoryChanges,
  revokedScimTokens,
  endedSecrets,
  quietHosts,
];
