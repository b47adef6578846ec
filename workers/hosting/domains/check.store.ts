import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import { hosting_apps, hosting_domains } from "../../../db/hosting/schema";
import { integer, json, nullable } from "../../kit/db/kind";
import { allColumns, assignments, isInList, queryBuilder, selectRows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { eventRow, insertEventIf } from "../../kit/webhooks/event-store/event-row.store";

const columns = allColumns(hosting_domains);
const { error, hostname, id, next_check_at, state, token, updated_at } = hosting_domains;

// The literal lets SQLite use the partial index of verified domains.
const isVerified = sql`${state} = 'verified'`;

/** Statement: the ids of up to `limit` domains whose check is due at `now` (unix ms), the oldest first. */
export const findDueDomains = statement({ now: integer, limit: integer }, (p) =>
  selectRows(
    { id },
    (selected) => sql`select ${selected} from ${hosting_domains} indexed by hosting_domains_due
      where ${next_check_at} is not null and ${next_check_at} <= ${p.now} order by ${next_check_at} limit ${p.limit}`,
  ),
);

/** Statement: postpones due checks to `until` (unix ms), so that no other run makes them, and returns the domains. */
export const claimDomains = statement({ ids: json<readonly string[]>(), now: integer, until: integer }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({ next_check_at: sql`${p.until}` })
    .where(and(isInList(id, p.ids), sql`${next_check_at} is not null and ${next_check_at} <= ${p.now}`))
    .returning(columns),
);

/** Statement: the app of a domain. */
export const findAppOfDomain = statement({ id }, (p) =>
  queryBuilder
    .select(allColumns(hosting_apps))
    .from(hosting_apps)
    .where(eq(hosting_apps.id, sql`(select ${hosting_domains.app_id} from ${hosting_domains} where ${id} = ${p.id})`)),
);

/** Statement: the verified domain of a host name. */
export const findVerified = statement({ hostname }, (p) =>
  queryBuilder
    .select(columns)
    .from(hosting_domains)
    .where(and(eq(hostname, p.hostname), isVerified)),
);

/** Statement: a domain by its id. */
export const findDomainById = statement({ id }, (p) =>
  queryBuilder.select(columns).from(hosting_domains).where(eq(id, p.id)),
);

/** Statement: stores a check that changes no state. */
export const storeCheck = statement(
  {
    id,
    state,
    error: nullable(error),
    nextCheckAt: nullable(integer),
    unprovenSince: nullable(integer),
    now: updated_at,
  },
  (p) =>
    sql`update ${hosting_domains} set ${assignments(hosting_domains, {
      error: p.error,
      checked_at: p.now,
      next_check_at: p.nextCheckAt,
      unproven_since: p.unprovenSince,
    })} where ${id} = ${p.id} and ${state} = ${p.state}`,
);

/** Statement: ends a domain that was not proven in time. */
export const failDomain = statement({ id, state, error, now: updated_at }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({ state: "failed", error: p.error, checked_at: p.now, next_check_at: null, updated_at: p.now })
    .where(and(eq(id, p.id), eq(state, p.state))),
);

/** Statement: ends the verified domain of another app with this host name, unless its proof is among the tokens. */
export const failOtherDomain = statement({ id, hostname, tokens: json<readonly string[]>(), now: updated_at }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({ state: "failed", error: "no_record", checked_at: p.now, next_check_at: null, updated_at: p.now })
    .where(
      and(
        eq(hostname, p.hostname),
        isVerified,
        ne(id, p.id),
        sql`${token} not in (select value from json_each(${p.tokens}))`,
      ),
    ),
);

const isFree = (p: { id: SQL<string>; hostname: SQL<string> }) => {
  const other = sql`"other"`;
  return sql`not exists (select 1 from ${hosting_domains} ${other} where ${other}."hostname" = ${p.hostname}
    and ${other}."state" = 'verified' and ${other}."id" <> ${p.id})`;
};

/** Statement: verifies a domain, unless another one with its host name is verified. */
export const verifyDomain = statement({ id, hostname, nextCheckAt: integer, now: updated_at }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({
      state: "verified",
      error: null,
      checked_at: p.now,
      next_check_at: sql`${p.nextCheckAt}`,
      verified_at: p.now,
      unproven_since: null,
      updated_at: p.now,
    })
    .where(and(eq(id, p.id), sql`${state} <> 'verified'`, isFree(p))),
);

/** Statement: ends a proven domain that could not be verified, because another one with its host name is verified. */
export const refuseDomain = statement({ id, now: updated_at }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({ state: "failed", error: "hostname_taken", checked_at: p.now, next_check_at: null, updated_at: p.now })
    .where(and(eq(id, p.id), sql`${state} <> 'verified'`)),
);

/** Statement: the event of a domain, if the statement directly before it changed a row. */
export const addDomainEvent = statement({ ...eventRow, now: updated_at }, ({ now, ...p }) =>
  insertEventIf(p, now, sql`changes() > 0`),
);

/** Statement: stores the id of the registration of a host name at the provider. */
export const storeProviderId = statement({ hostname, providerId: hosting_domains.provider_id }, (p) =>
  queryBuilder
    .update(hosting_domains)
    .set({ provider_id: p.providerId })
    .where(and(eq(hostname, p.hostname), isVerified)),
);
