import { and, asc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { company_quotas, event_log, storage_buckets, storage_objects, user_quotas } from "../../../db/storage/schema";
import { boolean, integer } from "../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  insertSelect,
  leftJoined,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { maxCount } from "../../kit/http/paging/walk";

const c = company_quotas;
const u = user_quotas;
const o = storage_objects;

/** Selects the quota of a company and of one of its users. The user's columns are null if the user has no row. */
export const findQuota = statement({ companyId: c.company_id, userId: u.user_id }, (p) => {
  const { max_bytes, used_bytes, reserved_bytes } = leftJoined(allColumns(u));
  return selectRows(
    { ...allColumns(c), own_max_bytes: max_bytes, own_used_bytes: used_bytes, own_reserved_bytes: reserved_bytes },
    (columns) => sql`select ${columns} from ${c}
      left join ${u} on ${u.company_id} = ${c.company_id} and ${u.user_id} = ${p.userId} where ${c.company_id} = ${p.companyId}`,
  );
});

/** Updates the caps of a company. A cap keeps its value when its parameter `hasMaxBytes` or `hasMaxBytesPerUser` is false. */
export const changeCompanyQuota = statement(
  {
    companyId: c.company_id,
    hasMaxBytes: boolean,
    maxBytes: c.max_bytes,
    hasMaxBytesPerUser: boolean,
    maxBytesPerUser: c.max_bytes_per_user,
  },
  (p) =>
    queryBuilder
      .update(c)
      .set({
        max_bytes: sql`iif(${p.hasMaxBytes}, ${p.maxBytes}, ${c.max_bytes})`,
        max_bytes_per_user: sql`iif(${p.hasMaxBytesPerUser}, ${p.maxBytesPerUser}, ${c.max_bytes_per_user})`,
      })
      .where(eq(c.company_id, p.companyId))
      .returning(allColumns(c)),
);

/** Sets the cap of a user, or removes it (null). */
export const putUserQuota = statement({ companyId: u.company_id, userId: u.user_id, maxBytes: u.max_bytes }, (p) =>
  queryBuilder
    .insert(u)
    .values({ company_id: p.companyId, user_id: p.userId, max_bytes: p.maxBytes })
    .onConflictDoUpdate({ target: [u.company_id, u.user_id], set: { max_bytes: p.maxBytes } })
    .returning(allColumns(u)),
);

/** Removes the cap of a user. */
export const clearUserQuota = statement({ companyId: u.company_id, userId: u.user_id }, (p) =>
  queryBuilder
    .update(u)
    .set({ max_bytes: null })
    .where(and(eq(u.company_id, p.companyId), eq(u.user_id, p.userId), isNotNull(u.max_bytes))),
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
        data: sql`json_object('max_bytes', ${c.max_bytes}, 'max_bytes_per_user', ${c.max_bytes_per_user}, 'scope', 'company',
        'user_id', null)` as never,
        created_at: p.now,
      },
      sql`from ${c} where ${c.company_id} = ${p.companyId}`,
    )} on conflict do nothing`,
);

/** Inserts the event of a changed user cap. Must run right after the change; inserts nothing if the change affected no row. */
export const addUserEvent = statement(
  { ...event, subject: u.user_id },
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
        data: sql`json_object('max_bytes', ${u.max_bytes}, 'max_bytes_per_user', null, 'scope', 'user', 'user_id', ${u.user_id})` as never,
        created_at: p.now,
      },
      sql`from ${u} where ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.subject} and changes() > 0`,
    )} on conflict do nothing`,
);

const page = { after: integer, limit: integer, offset: integer };

/** Selects a page of the users of a company, ordered by id. */
export const listUserQuotas = statement({ ...page, companyId: u.company_id }, (p) =>
  queryBuilder
    .select(allColumns(u))
    .from(u)
    .where(and(eq(u.company_id, p.companyId), gt(u.user_id, p.after)))
    .orderBy(asc(u.user_id))
    .limit(p.limit)
    .offset(p.offset),
);

/** Counts the users of a company who have a quota row, up to the highest count that a list shows. */
export const countUserQuotas = statement({ companyId: u.company_id }, (p) =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) =>
      sql`select ${columns} from (select 1 from ${u} where ${u.company_id} = ${p.companyId} limit ${maxCount})`,
  ),
);

/** Selects a page of all companies, ordered by id. */
export const listCompanyQuotas = statement(page, (p) =>
  queryBuilder
    .select(allColumns(c))
    .from(c)
    .where(gt(c.company_id, p.after))
    .orderBy(asc(c.company_id))
    .limit(p.limit)
    .offset(p.offset),
);

/** Counts the companies, up to the highest count that a list shows. */
export const countCompanyQuotas = statement({}, () =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from (select 1 from ${c} where ${c.company_id} > 0 limit ${maxCount})`,
  ),
);

/** Returns the FROM clause of a company's objects, found through its buckets. */
const objectsOf = (companyId: SQL): SQL =>
  sql`from ${storage_buckets} cross join ${o} on ${o.bucket_id} = ${storage_buckets.id} where ${storage_buckets.company_id} = ${companyId}`;

/** Selects the next company id, for a recount of all companies. */
export const findNextCompany = statement({ after: integer }, (p) =>
  queryBuilder
    .select({ company_id: c.company_id })
    .from(c)
    .where(gt(c.company_id, p.after))
    .orderBy(asc(c.company_id))
    .limit(1),
);

/** Selects the counters of a company and the sums over its objects. */
export const compareCompany = statement({ companyId: c.company_id }, (p) =>
  selectRows(
    {
      used_bytes: c.used_bytes,
      object_count: c.object_count,
      bytes: sql`totals.bytes`.mapWith(integer),
      objects: sql`totals.objects`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from ${c}
      cross join (select coalesce(sum(${o.size}), 0) as bytes, count(*) as objects ${objectsOf(p.companyId)}) totals
      where ${c.company_id} = ${p.companyId}`,
  ),
);

/** Corrects the counters of a company from its objects. Returns the corrected bytes if the counters were wrong. */
export const recountCompany = statement({ companyId: c.company_id }, (p) =>
  selectRows(
    { used_bytes: c.used_bytes },
    (
      columns,
    ) => sql`update ${c} set ${assignments(c, { used_bytes: sql`totals.bytes`, object_count: sql`totals.objects` })}
    from (select coalesce(sum(${o.size}), 0) as bytes, count(*) as objects ${objectsOf(p.companyId)}) totals
    where ${c.company_id} = ${p.companyId} and (${c.used_bytes} <> totals.bytes or ${c.object_count} <> totals.objects)
    returning ${columns}`,
  ),
);

/** Inserts the missing quota rows of users who own objects. */
export const addOwners = statement(
  { companyId: c.company_id },
  (p) =>
    sql`insert into ${u} (${columnName(u.company_id)}, ${columnName(u.user_id)})
    select ${p.companyId}, ${o.owner_id} ${objectsOf(p.companyId)} group by 2 on conflict do nothing`,
);

/** Returns the subquery with the bytes that each user of a company owns. */
const usage = (companyId: SQL): SQL => {
  const user = alias(u, "user_quota");
  return sql`(select ${user.user_id} as id, coalesce(totals.bytes, 0) as bytes from ${tableReference(user)}
    left join (select ${o.owner_id} as owner, sum(${o.size}) as bytes ${objectsOf(companyId)} group by 1) totals
      on totals.owner = ${user.user_id} where ${user.company_id} = ${companyId}) usage`;
};

/** Corrects the counters of a company's users from their objects. */
export const recountUsers = statement(
  { companyId: c.company_id },
  (p) =>
    sql`update ${u} set ${columnName(u.used_bytes)} = usage.bytes from ${usage(p.companyId)}
    where ${u.company_id} = ${p.companyId} and ${u.user_id} = usage.id and ${u.used_bytes} <> usage.bytes`,
);

/** Counts the users of a company whose counters do not match their objects. */
export const countWrongUsers = statement({ companyId: c.company_id }, (p) =>
  selectRows(
    { users: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${usage(p.companyId)} join ${u} on ${u.company_id} = ${p.companyId}
      and ${u.user_id} = usage.id where ${u.used_bytes} <> usage.bytes`,
  ),
);
