import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isCommitted } from "../../../db/storage/committed";
import { company_quotas, event_log, storage_objects, user_quotas } from "../../../db/storage/schema";
import { integer, json } from "../../kit/db/kind";
import { assignments, insertSelect, jsonEach } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** The id of an event, and the threshold in percent whose crossing it reports. */
export type ThresholdEvent = { id: string; threshold: number };

const TYPE = "storage.quota.threshold_reached";

const change = {
  events: json<readonly ThresholdEvent[]>(),
  companyId: company_quotas.company_id,
  bucketId: storage_objects.bucket_id,
  name: storage_objects.name,
  change: storage_objects.change_id,
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
      data: sql`json_object('max_bytes', ${company_quotas.max_bytes}, 'scope', 'company', 'threshold', ${item.threshold},
        'used_bytes', ${sum(company_quotas.used_bytes, p.bytes)}, 'user_id', null)` as never,
      created_at: p.now,
    },
    sql`from ${from} cross join ${company_quotas} on ${company_quotas.company_id} = ${p.companyId}
      where ${crosses(company_quotas.used_bytes, p.bytes, company_quotas.max_bytes, item.threshold)} and ${isCommitted(p)}`,
  )} on conflict do nothing`;
});

/** Like addCompanyThresholdEvents, for a user and their effective cap. */
export const addUserThresholdEvents = statement({ ...change, userId: user_quotas.user_id }, (p) => {
  const { from, item } = jsonEach(p.events);
  const cap = sql`coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user}, 0)`;
  return sql`${insertSelect(
    event_log,
    {
      id: item.id,
      company_id: p.companyId,
      event_type: TYPE,
      data: sql`json_object('max_bytes', ${cap}, 'scope', 'user', 'threshold', ${item.threshold},
        'used_bytes', ${sum(user_quotas.used_bytes, p.bytes)}, 'user_id', ${user_quotas.user_id})` as never,
      created_at: p.now,
    },
    sql`from ${from} cross join ${company_quotas} on ${company_quotas.company_id} = ${p.companyId}
      cross join ${user_quotas} on ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId}
      where ${crosses(user_quotas.used_bytes, p.bytes, cap, item.threshold)} and ${isCommitted(p)}`,
  )} on conflict do nothing`;
});

const HOUR_MS = 3_600_000;

/** Inserts the event of the first quota rejection of a company in an hour. */
export const addCompanyRejectionEvent = statement(
  { id: event_log.id, companyId: company_quotas.company_id, now: integer },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: TYPE,
        data: sql`json_object('max_bytes', ${company_quotas.max_bytes}, 'scope', 'company', 'threshold', 100,
        'used_bytes', ${company_quotas.used_bytes}, 'user_id', null)` as never,
        created_at: p.now,
      },
      sql`from ${company_quotas} where ${company_quotas.company_id} = ${p.companyId} and coalesce(${company_quotas.refused_at}, 0) <= ${p.now} - ${sql.raw(String(HOUR_MS))}`,
    )} on conflict do nothing`,
);

/** Records the time of the rejection. Must run directly after the insert of the event. */
export const recordCompanyRejection = statement(
  { companyId: company_quotas.company_id, now: integer },
  (p) =>
    sql`update ${company_quotas} set ${assignments(company_quotas, { refused_at: p.now, notice_threshold: 100, notice_at: p.now })}
      where ${company_quotas.company_id} = ${p.companyId} and changes() > 0`,
);

/** Returns the assignments that make owners learn of a threshold which the company's usage crosses with a commit of `bytes`. */
export function noticeAssignments(bytes: SQLWrapper, now: SQLWrapper) {
  const { used_bytes, max_bytes, notice_threshold, notice_at } = company_quotas;
  const crossed = [100, 80].map(
    (threshold) =>
      [crosses(used_bytes, bytes, max_bytes, sql.raw(String(threshold))), sql.raw(String(threshold))] as const,
  );
  const cases = (value: (threshold: SQL) => SQLWrapper) =>
    sql.join(
      crossed.map(([condition, threshold]) => sql`when ${condition} then ${value(threshold)}`),
      sql` `,
    );
  return {
    notice_threshold: sql`case ${cases((threshold) => threshold)} else ${notice_threshold} end`,
    notice_at: sql`case ${cases(() => now)} else ${notice_at} end`,
  };
}

/** Like addCompanyRejectionEvent, for a user. */
export const addUserRejectionEvent = statement(
  { id: event_log.id, companyId: company_quotas.company_id, userId: user_quotas.user_id, now: integer },
  (p) =>
    sql`${insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: TYPE,
        data: sql`json_object('max_bytes', coalesce(${user_quotas.max_bytes}, ${company_quotas.max_bytes_per_user}, 0), 'scope', 'user', 'threshold', 100,
          'used_bytes', ${user_quotas.used_bytes}, 'user_id', ${user_quotas.user_id})` as never,
        created_at: p.now,
      },
      sql`from ${company_quotas} cross join ${user_quotas} on ${user_quotas.company_id} = ${company_quotas.company_id} and ${user_quotas.user_id} = ${p.userId}
        where ${company_quotas.company_id} = ${p.companyId} and coalesce(${user_quotas.refused_at}, 0) <= ${p.now} - ${sql.raw(String(HOUR_MS))}`,
    )} on conflict do nothing`,
);

export const recordUserRejection = statement(
  { companyId: user_quotas.company_id, userId: user_quotas.user_id, now: integer },
  (p) =>
    sql`update ${user_quotas} set refused_at = ${p.now} where ${user_quotas.company_id} = ${p.companyId} and ${user_quotas.user_id} = ${p.userId} and changes() > 0`,
);
