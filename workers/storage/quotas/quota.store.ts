import { and, asc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  company_quotas,
  event_log,
  isNearlyFull,
  storage_buckets,
  storage_objects,
  user_quotas,
} from "../../../db/storage/schema";
import { boundedScan, scanParameters } from "../../kit/db/bounded-scan";
import { boolean, integer } from "../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  indexedBy,
  insertSelect,
  leftJoined,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../kit/db/query";
import { type RowOfStatement, statement } from "../../kit/db/statement";
import { maxCount } from "../../kit/http/paging/scan";

/** Selects the quota of a company and of one of its users. The user's columns are null if the user has no row. */
export const findQuota = statement({ companyId: company_quotas.company_id, userId: user_quotas.user_id }, (p) => {
  const { max_bytes, used_bytes, reserved_bytes } = leftJoined(allColumns(user_quotas));
  return selectRows(
    {
      ...allColumns(company_quotas),
      user_max_bytes: max_bytes,
      user_used_bytes: used_bytes,
      user_reserved_bytes: reserved_bytes,
    },
    (columns) => sql`select ${columns} from ${company_quotas}
      left join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id} and ${user_quotas.user_id} = ${p.userId} where ${company_quotas.company_id} = ${p.companyId}`,
  );
});

/** Updates the caps of a company. A cap keeps its value when its parameter `hasMaxBytes` or `hasMaxBytesPerUser` is false. */
export const changeCompanyQuota = statement(
  {
    companyId: company_quotas.company_id,
    hasMaxBytes: boolean,
    maxBytes: company_quotas.max_bytes,
    hasMaxBytesPerUser: boolean,
    maxBytesPerUser: company_quotas.max_bytes_per_user,
  },
  (p) =>
    queryBuilder
      .update(company_quotas)
      .set({
        max_bytes: sql`iif(${p.hasMaxBytes}, ${p.maxBytes}, ${company_quotas.max_bytes})`,
        max_bytes_per_user: sql`iif(${p.hasMaxBytesPerUser}, ${p.maxBytesPerUser}, ${company_quotas.max_bytes_per_user})`,
      })
      .where(eq(company_quotas.company_id, p.companyId))
      .returning(allColumns(company_quotas)),
);

/** Sets the cap of a user, or removes it (null). */
export const putUserQuota = statement(
  { companyId: user_quotas.company_id, userId: user_quotas.user_id, maxBytes: user_quotas.max_bytes },
  (p) =>
    queryBuilder
      .insert(user_quotas)
      .values({ company_id: p.companyId, user_id: p.userId, max_bytes: p.maxBytes })
      .onConflictDoUpdate({ target: [user_quotas.company_id, user_quotas.user_id], set: { max_bytes: p.maxBytes } })
      .returning(allColumns(user_quotas)),
);

/** Removes the cap of a user. */
export const clearUserQuota = statement({ companyId: user_quotas.company_id, userId: user_quotas.user_id }, (p) =>
  queryBuilder
    .update(user_quotas)
    .set({ max_bytes: null })
    .where(
      and(eq(user_quotas.company_id, p.companyId), eq(user_quotas.user_id, p.userId), isNotNull(user_quotas.max_bytes)),
    ),
);

const event = {
  id: event_log.id,
  companyId: event_log.company_id,
  userId: event_log.user_id,
  email: event_log.actor_email,
  actor: event_log.actor,
  now: event_log.created_at,
};

/** Inserts the event of changed company caps. Must run after the change, because it reads the new caps. */
export const addCompanyEvent = statement(
  event,
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: "storage.quota.changed",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: sql`json_object('max_bytes', ${company_quotas.max_bytes}, 'max_bytes_per_user', ${company_quotas.max_bytes_per_user}, 'scope', 'company',
        'user_id', null)` as never,
        created_at: p.now,
      },
      sql`from ${company_quotas} where ${company_quotas.company_id} = ${p.companyId}`,
    )} on conflict do nothing`,
);

/** Inserts the event of a changed user cap. Must run right after the change; inserts nothing if the change affected no row. */
export const addUserEvent = statement(
  { ...event, subject: user_quotas.user_id },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: "storage.quota.changed",
        user_id: p.userId,
        actor_email: p.email,
        actor: p.actor,
        data: sql`json_object('max_bytes', ${user_quotas.max_bytes}, 'max_bytes_per_user', null, 'scope', 'user', 'user_id', ${user_quotas.user_id})` as never,
        created_at: p.now,
      },
      sql`from ${user_quotas} where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.subject} and changes() > 0`,
    )} on conflict do nothing`,
);

const page = { after: integer, limit: integer, offset: integer };

/** Selects a page of the users of a company, ordered by id. */
export const listUserQuotas = statement({ ...page, companyId: user_quotas.company_id }, (p) =>
  queryBuilder
    .select(allColumns(user_quotas))
    .from(user_quotas)
    .where(and(eq(user_quotas.company_id, p.companyId), gt(user_quotas.user_id, p.after)))
    .orderBy(asc(user_quotas.user_id))
    .limit(p.limit)
    .offset(p.offset),
);

export type UserQuotaRow = RowOfStatement<typeof listUserQuotas>;

/** Counts the users of a company who have a quota row, up to the highest count that a list shows. */
export const countUserQuotas = statement({ companyId: user_quotas.company_id }, (p) =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) =>
      sql`select ${columns} from (select 1 from ${user_quotas} where ${user_quotas.company_id} = ${p.companyId} limit ${maxCount})`,
  ),
);

/** The limit of a user: their own, or else the default of the company. Null and 0 mean no limit. */
const limitOfUser = sql`coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user})`;

/** Selects a page of the users of a company who use more than 90 % of their limit, ordered by id. Scans all users. */
export const scanFullUsers = statement(
  { companyId: user_quotas.company_id, after: integer, ...scanParameters },
  (p) => {
    const range = sql`from ${company_quotas} cross join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id}
    where ${company_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} > ${p.after} order by ${user_quotas.user_id}`;
    const page = boundedScan(
      { key: user_quotas.user_id, matches: isNearlyFull(limitOfUser, user_quotas.used_bytes), range },
      p,
    );
    return selectRows(
      { ...allColumns(user_quotas), ...page.end },
      (columns) => sql`select ${columns} from ${page.from}
      cross join ${user_quotas} on ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${page.key} order by ${user_quotas.user_id}`,
    );
  },
);

/** Selects a page of the companies that use more than 90 % of their quota, ordered by id. */
export const listFullCompanies = statement(page, (p) =>
  selectRows(
    allColumns(company_quotas),
    (columns) => sql`select ${columns} from ${indexedBy(company_quotas, "company_quotas_nearly_full")}
      where ${isNearlyFull(company_quotas.max_bytes, company_quotas.used_bytes)} and ${company_quotas.company_id} > ${p.after}
      order by ${company_quotas.company_id} limit ${p.limit} offset ${p.offset}`,
  ),
);

/** Counts the companies that use more than 90 % of their quota, up to the highest count that a list shows. */
export const countFullCompanies = statement({}, () =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from (select 1 from ${indexedBy(company_quotas, "company_quotas_nearly_full")}
      where ${isNearlyFull(company_quotas.max_bytes, company_quotas.used_bytes)} and ${company_quotas.company_id} > 0 limit ${maxCount})`,
  ),
);

/** Selects a page of all companies, ordered by id. */
export const listCompanyQuotas = statement(page, (p) =>
  queryBuilder
    .select(allColumns(company_quotas))
    .from(company_quotas)
    .where(gt(company_quotas.company_id, p.after))
    .orderBy(asc(company_quotas.company_id))
    .limit(p.limit)
    .offset(p.offset),
);

/** Counts the companies, up to the highest count that a list shows. */
export const countCompanyQuotas = statement({}, () =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) =>
      sql`select ${columns} from (select 1 from ${company_quotas} where ${company_quotas.company_id} > 0 limit ${maxCount})`,
  ),
);

/** Returns the FROM clause of a company's objects, found through its buckets. */
const objectsOf = (companyId: SQL): SQL =>
  sql`from ${storage_buckets} cross join ${storage_objects} on ${storage_objects.bucket_id} = ${storage_buckets.id} where ${storage_buckets.company_id} = ${companyId}`;

/** Selects the next company id, for a recount of all companies. */
export const findNextCompany = statement({ after: integer }, (p) =>
  queryBuilder
    .select({ company_id: company_quotas.company_id })
    .from(company_quotas)
    .where(gt(company_quotas.company_id, p.after))
    .orderBy(asc(company_quotas.company_id))
    .limit(1),
);

/** Selects the counters of a company and the sums over its objects. */
export const compareCompany = statement({ companyId: company_quotas.company_id }, (p) =>
  selectRows(
    {
      used_bytes: company_quotas.used_bytes,
      object_count: company_quotas.object_count,
      bytes: sql`totals.bytes`.mapWith(integer),
      objects: sql`totals.objects`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${company_quotas}
      cross join (select coalesce(sum(${storage_objects.size}), 0) as bytes, count(*) as objects ${objectsOf(p.companyId)}) totals
      where ${company_quotas.company_id} = ${p.companyId}`,
  ),
);

/** Corrects the counters of a company from its objects. Returns the corrected bytes if the counters were wrong. */
export const recountCompany = statement({ companyId: company_quotas.company_id }, (p) =>
  selectRows(
    { used_bytes: company_quotas.used_bytes },
    (
      columns,
    ) => sql`update ${company_quotas} set ${assignments(company_quotas, { used_bytes: sql`totals.bytes`, object_count: sql`totals.objects` })}
    from (select coalesce(sum(${storage_objects.size}), 0) as bytes, count(*) as objects ${objectsOf(p.companyId)}) totals
    where ${company_quotas.company_id} = ${p.companyId} and (${company_quotas.used_bytes} <> totals.bytes or ${company_quotas.object_count} <> totals.objects)
    returning ${columns}`,
  ),
);

/** Inserts the missing quota rows of users who own objects. */
export const addOwners = statement(
  { companyId: company_quotas.company_id },
  (p) =>
    sql`insert into ${user_quotas} (${columnName(user_quotas.company_id)}, ${columnName(user_quotas.user_id)})
    select ${p.companyId}, ${storage_objects.owner_id} ${objectsOf(p.companyId)} group by 2 on conflict do nothing`,
);

/** Returns the subquery with the bytes that each user of a company owns. */
const usage = (companyId: SQL): SQL => {
  const user = alias(user_quotas, "user_quota");
  return sql`(select ${user.user_id} as id, coalesce(totals.bytes, 0) as bytes from ${tableReference(user)}
    left join (select ${storage_objects.owner_id} as owner, sum(${storage_objects.size}) as bytes ${objectsOf(companyId)} group by 1) totals
      on totals.owner = ${user.user_id} where ${user.company_id} = ${companyId}) usage`;
};

/** Corrects the counters of a company's users from their objects. */
export const recountUsers = statement(
  { companyId: company_quotas.company_id },
  (p) =>
    sql`update ${user_quotas} set ${columnName(user_quotas.used_bytes)} = usage.bytes from ${usage(p.companyId)}
    where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = usage.id and ${user_quotas.used_bytes} <> usage.bytes`,
);

/** Counts the users of a company whose counters do not match their objects. */
export const countWrongUsers = statement({ companyId: company_quotas.company_id }, (p) =>
  selectRows(
    { users: sql`count(*)`.mapWith(integer) },
    (
      columns,
    ) => sql`select ${columns} from ${usage(p.companyId)} join ${user_quotas} on ${user_quotas.company_id} = ${p.companyId}
      and ${user_quotas.user_id} = usage.id where ${user_quotas.used_bytes} <> usage.bytes`,
  ),
);
