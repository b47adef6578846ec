import { and, eq, gt, inArray, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { auth_codes, company_totals, event_log } from "../../../../db/identity/schema";
import { idBefore } from "../../../../db/kit/ids";
import { boolean, integer, text } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

// Sign-ins do not write counters. `company_totals.counts` has the counts of the events up to `folded_until`. A read adds the
// counts of the later events in the log.

const totals = company_totals;
const log = alias(event_log, "log");
/**
 * A roll-up is due when this many log rows older than five minutes are not rolled up yet, because every read of the counts has
 * to count these rows itself.
 */
const MAX_UNCOUNTED = 5000;
const REQUESTED = "identity.auth.magic_link.requested";
const SIGNED_IN = "identity.auth.login.succeeded";

/** Returns the condition for log rows created from `since` to before `until` (unix ms), as a range of time-ordered ids. */
const isLogged = (since: SQLWrapper, until?: SQLWrapper) =>
  and(gt(log.id, idBefore(since)), until === undefined ? undefined : lt(log.id, idBefore(until)));

/** Selects the counts (`company_id`, `name`, `value`) of the events in the log of the companies `ids`. */
const logged = (ids: SQL, isCounted: SQL | undefined) => sql`
  select ${log.company_id} as company_id,
    case ${log.event_type} when ${REQUESTED} then 'magic_links_requested' else 'successful_logins:' || ${log.provider} end as name,
    count(*) as value
  from ${ids} cross join ${tableReference(log)}
  where ${and(eq(log.company_id, sql`ids.id`), inArray(log.event_type, [REQUESTED, SIGNED_IN]), isCounted)} group by 1, 2`;

/**
 * The recursive common table expression `ids`: the companies that have rows in the log. It jumps from company to company in
 * the index of the log.
 */
const companiesOfLog = sql`ids(id) as (
  select min(${event_log.company_id}) from ${event_log}
  union all select (select min(${log.company_id}) from ${tableReference(log)} where ${log.company_id} > ids.id) from ids
  where ids.id is not null)`;

const isOfAll = eq(totals.company_id, 0);
const rolledUpUntil = sql`(select ${totals.folded_until} from ${totals} where ${isOfAll})`;

/**
 * Selects the counts of companies: the rolled-up counts, the later events of the log, and the links whose auth code is not
 * redeemed yet.
 */
const counts = (ids: SQL, isRequestedCompany: (row: { company_id: SQLWrapper }) => SQL) => sql`
  select company_id, name, sum(value) as value from (
    select ${totals.company_id} as company_id, rolled_up.key as name, rolled_up.value as value
      from ${totals} cross join json_each(${totals.counts}) rolled_up where ${isRequestedCompany(totals)}
    union all ${logged(ids, isLogged(rolledUpUntil))}
    union all select ${auth_codes.company_id}, 'links_without_login', count(*) from ${auth_codes}
      where ${and(isRequestedCompany(auth_codes), eq(auth_codes.provider, "magic_link"), isNull(auth_codes.redeem_nonce))} group by 1)
  group by 1, 2 order by 1, 2`;

const counted = {
  company_id: sql`totals.company_id`.mapWith(integer),
  name: sql`totals.name`.mapWith(text),
  value: sql`totals.value`.mapWith(integer),
};

/** Selects the counts of a company. The name of a count is `name` or `name:label`. */
export const findCounts = statement({ companyId: integer }, (p) =>
  selectRows(
    counted,
    (columns) =>
      sql`select ${columns} from (${counts(sql`(select ${p.companyId} as id) ids`, ({ company_id }) => eq(company_id, p.companyId))}) totals`,
  ),
);

export type CountRow = RowOfStatement<typeof findCounts>;

/** Selects the counts of every company. Reads whole tables, because every row becomes a line of the response. */
export const listCounts = statement({}, () =>
  selectRows(
    counted,
    (columns) => sql`with recursive ${companiesOfLog}
      select ${columns} from (${counts(sql`ids`, ({ company_id }) => gt(company_id, 0))}) totals`,
  ),
);

/** Selects the time up to which the log is rolled up (unix ms). */
export const findRolledUpUntil = statement({}, () =>
  queryBuilder
    .select({ until: sql`${totals.folded_until}`.mapWith(integer) })
    .from(totals)
    .where(isOfAll),
);

/** Selects whether so many log rows are not rolled up that every read would be slow. */
export const isRollUpDue = statement({ until: integer }, (p) => {
  const waiting = sql`select 1 from ids cross join ${tableReference(log)}
    where ${and(eq(log.company_id, sql`ids.id`), isLogged(rolledUpUntil, p.until))} limit ${MAX_UNCOUNTED}`;
  return selectRows(
    { due: sql`count(*) = ${MAX_UNCOUNTED}`.mapWith(boolean) },
    (columns) => sql`with recursive ${companiesOfLog} select ${columns} from (${waiting})`,
  );
});

const part = { since: totals.folded_until, until: totals.folded_until };

/** Adds the events of a time range to the counts, unless another run has already added them. */
export const rollUpCounts = statement(part, (p) => {
  const allCounts = sql`select key, value from json_each(${totals.counts}) union all select key, value from json_each(excluded.counts)`;
  return sql`with recursive ${companiesOfLog} ${insertSelect(
    totals,
    { company_id: sql`added.company_id`, counts: sql`json_group_object(added.name, added.value)` },
    sql`from (${logged(sql`ids`, isLogged(p.since, p.until))}) added where ${rolledUpUntil} = ${p.since} group by added.company_id
      on conflict (${columnName(totals.company_id)}) do update set ${columnName(totals.counts)} =
        (select json_group_object(key, value) from (select key, sum(value) as value from (${allCounts}) group by key))`,
  )}`;
});

/** Sets `folded_until` to the end of the range. Must run after rollUpCounts, which checks the old value. */
export const advanceRollUp = statement(part, (p) =>
  queryBuilder
    .update(totals)
    .set({ folded_until: p.until })
    .where(and(isOfAll, eq(totals.folded_until, p.since))),
);
