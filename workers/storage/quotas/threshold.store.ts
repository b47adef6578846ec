import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isCommitted } from "../../../db/storage/committed";
import { company_quotas, event_log, storage_objects, user_quotas } from "../../../db/storage/schema";
import { integer, json } from "../../kit/db/kind";
import { insertSelect, jsonEach } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const c = company_quotas;
const u = user_quotas;
const o = storage_objects;

/** The id of an event, and the threshold in percent whose crossing it reports. */
export type ThresholdEvent = { id: string; threshold: number };

const TYPE = "storage.quota.threshold_reached";

const change = {
  events: json<readonly ThresholdEvent[]>(),
  companyId: c.company_id,
  bucketId: o.bucket_id,
  name: o.name,
  change: o.change_id,
  bytes: integer,
  now: integer,
};

const crosses = (used: SQLWrapper, bytes: SQLWrapper, max: SQLWrapper, threshold: SQLWrapper): SQL =>
  sql`${max} > 0 and ${used} * 100 < ${max} * ${threshold} and (${used} + ${bytes}) * 100 >= ${max} * ${threshold}`;

/** Returns the sum as an integer. D1 binds numbers as doubles, which JSON would show as 1.0. */
const sum = (used: SQLWrapper, bytes: SQLWrapper): SQL => sql`cast(${used} + ${bytes} as integer)`;

/**
 * Inserts an event for each threshold that the company's usage crosses with a commit. Must run before chargeCompany, because it
 * reads the usage before the change.
 */
export const addCompanyThresholdEvents = statement(change, (p) => {
  const { from, item } = jsonEach(p.events);
  return sql`${insertSelect(
    event_log,
    {
      id: item.id,
      company_id: p.companyId,
      event_type: TYPE,
      data: sql`json_object('max_bytes', ${c.max_bytes}, 'scope', 'company', 'threshold', ${item.threshold},
        'used_bytes', ${sum(c.used_bytes, p.bytes)}, 'user_id', null)` as never,
      created_at: p.now,
    },
    sql`from ${from} cross join ${c} on ${c.company_id} = ${p.companyId}
      where ${crosses(c.used_bytes, p.bytes, c.max_bytes, item.threshold)} and ${isCommitted(p)}`,
  )} on conflict do nothing`;
});

/** Like addCompanyThresholdEvents, for a user and their effective cap. */
export const addUserThresholdEvents = statement({ ...change, userId: u.user_id }, (p) => {
  const { from, item } = jsonEach(p.events);
  const cap = sql`coalesce(${u.max_bytes}, ${c.max_bytes_per_user}, 0)`;
  return sql`${insertSelect(
    event_log,
    {
      id: item.id,
      company_id: p.companyId,
      event_type: TYPE,
      data: sql`json_object('max_bytes', ${cap}, 'scope', 'user', 'threshold', ${item.threshold},
        'used_bytes', ${sum(u.used_bytes, p.bytes)}, 'user_id', ${u.user_id})` as never,
      created_at: p.now,
    },
    sql`from ${from} cross join ${c} on ${c.company_id} = ${p.companyId}
      cross join ${u} on ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId}
      where ${crosses(u.used_bytes, p.bytes, cap, item.threshold)} and ${isCommitted(p)}`,
  )} on conflict do nothing`;
});

const HOUR_MS = 3_600_000;

/** Inserts the event of the first quota rejection of a company in an hour. */
export const addCompanyRejectionEvent = statement(
  { id: event_log.id, companyId: c.company_id, now: integer },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: TYPE,
        data: sql`json_object('max_bytes', ${c.max_bytes}, 'scope', 'company', 'threshold', 100,
        'used_bytes', ${c.used_bytes}, 'user_id', null)` as never,
        created_at: p.now,
      },
      sql`from ${c} where ${c.company_id} = ${p.companyId} and coalesce(${c.refused_at}, 0) <= ${p.now} - ${sql.raw(String(HOUR_MS))}`,
    )} on conflict do nothing`,
);

/** Records the time of the rejection. Must run directly after the insert of the event. */
export const recordCompanyRejection = statement(
  { companyId: c.company_id, now: integer },
  (p) => sql`update ${c} set refused_at = ${p.now} where ${c.company_id} = ${p.companyId} and changes() > 0`,
);

/** Like addCompanyRejectionEvent, for a user. */
export const addUserRejectionEvent = statement(
  { id: event_log.id, companyId: c.company_id, userId: u.user_id, now: integer },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: TYPE,
        data: sql`json_object('max_bytes', coalesce(${u.max_bytes}, ${c.max_bytes_per_user}, 0), 'scope', 'user', 'threshold', 100,
          'used_bytes', ${u.used_bytes}, 'user_id', ${u.user_id})` as never,
        created_at: p.now,
      },
      sql`from ${c} cross join ${u} on ${u.company_id} = ${c.company_id} and ${u.user_id} = ${p.userId}
        where ${c.company_id} = ${p.companyId} and coalesce(${u.refused_at}, 0) <= ${p.now} - ${sql.raw(String(HOUR_MS))}`,
    )} on conflict do nothing`,
);

export const recordUserRejection = statement(
  { companyId: u.company_id, userId: u.user_id, now: integer },
  (p) =>
    sql`update ${u} set refused_at = ${p.now} where ${u.company_id} = ${p.companyId} and ${u.user_id} = ${p.userId} and changes() > 0`,
);
