import { type SQL, sql } from "drizzle-orm";
import { eventColumns } from "../../../../db/email/conditions/event-log";
import type { NewEvent } from "../../../../db/email/rows";
import { complaint_breakers, event_log, lane_states, stats_days } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import {
  allColumns,
  columnName,
  indexedBy,
  insertSelect,
  jsonEach,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { company_id, warned_at, notice_at, complained, sent, forgiven } = complaint_breakers;
const isBulk = sql`${stats_days.lane} = 'bulk'`;

/** The condition that staff or the complaint breaker paused the bulk lane of the company. */
const isPaused = (companyId: SQL) => sql`exists (select 1 from ${lane_states} where ${lane_states.lane} = 'bulk'
  and ${lane_states.paused} = 1 and ${lane_states.company_id} = ${companyId} and ${lane_states.fingerprint} is null)`;

/** Returns the sum of one forgiven count of the days from `day`. */
const forgivenSum = (index: number, day: SQL) =>
  sql`coalesce((select sum(f.value ->> ${sql.raw(`'$[${index}]'`)}) from json_each(${forgiven}) f where f.key >= ${day}), 0)`;

/**
 * Statement: the counts of bulk mail since the UTC day `day` of the companies that received complaints, without those from
 * before staff resumed the lane, and without paused companies.
 */
export const findComplaints = statement({ day: stats_days.day }, (p) => {
  const companies = sql`select ${stats_days.company_id} from ${indexedBy(stats_days, "stats_days_complaints")}
    where ${isBulk} and ${stats_days.complained} > 0 and ${stats_days.day} >= ${p.day}`;
  const sums = sql`select ${stats_days.company_id} as company_id, sum(${stats_days.complained}) as complained,
    sum(${stats_days.delivered}) as delivered, sum(${stats_days.sent}) as sent from ${stats_days}
    where ${stats_days.company_id} in (${companies}) and ${stats_days.day} >= ${p.day} and ${isBulk} group by 1`;
  const count = (name: string, index: number) =>
    sql<number>`s.${sql.identifier(name)} - ${forgivenSum(index, p.day)}`.mapWith(integer);
  return selectRows(
    {
      company_id: sql<number>`s.company_id`.mapWith(integer),
      complained: count("complained", 0),
      delivered: count("delivered", 1),
      sent: count("sent", 2),
      warned_at: sql<number>`coalesce(${warned_at}, 0)`.mapWith(integer),
    },
    (columns) => sql`select ${columns} from (${sums}) s left join ${complaint_breakers} on ${company_id} = s.company_id
      where not ${isPaused(sql`s.company_id`)}`,
  );
});

/** The counts of the bulk mail of a company. */
export type Complaints = RowOfStatement<typeof findComplaints>;

/** Statement: stores the time of the last warning. */
export const storeWarning = statement({ companyId: company_id, now: integer }, (p) =>
  queryBuilder
    .insert(complaint_breakers)
    .values({ company_id: p.companyId, warned_at: p.now })
    .onConflictDoUpdate({ target: company_id, set: { warned_at: p.now } }),
);

// The statements of a pause require that the lane is not paused yet, and the last one pauses it. A repeated batch therefore
// stores no second event and no second notice.

const insertEvent = statement({ companyId: company_id, events: json<readonly NewEvent[]>(), now: integer }, (p) => {
  const { from, item: event } = jsonEach(p.events);
  const about = { company_id: p.companyId, email_hmac: sql`null` };
  return insertSelect(
    event_log,
    eventColumns(event, about, p.now),
    sql`from ${from} where not ${isPaused(p.companyId)} on conflict do nothing`,
  );
});

const addNotice = statement({ companyId: company_id, complained, sent, now: integer }, (p) => {
  const values = { company_id: p.companyId, notice_at: p.now, complained: p.complained, sent: p.sent };
  const changed = [notice_at, complained, sent].map(
    (column) => sql`${columnName(column)} = excluded.${columnName(column)}`,
  );
  return insertSelect(
    complaint_breakers,
    values,
    sql`where not ${isPaused(p.companyId)} on conflict (${columnName(company_id)}) do update set ${sql.join(changed, sql`, `)}`,
  );
});

const pauseBulk = statement({ companyId: company_id, scope: lane_states.scope, now: integer }, (p) => {
  const pause = { paused: true, reason: "complaint_rate", fingerprint: null, paused_at: p.now, paused_by: null };
  return queryBuilder
    .insert(lane_states)
    .values({ lane: "bulk", company_id: p.companyId, scope: p.scope, ...pause })
    .onConflictDoUpdate({
      target: [lane_states.lane, lane_states.company_id, lane_states.scope],
      set: pause,
      setWhere: sql`${lane_states.paused} = 0 or ${lane_states.fingerprint} is not null`,
    });
});

/** Returns the statements that pause the bulk lane of a company. Commit them with batchWithEvents. */
export const pauseStatements = (
  { company_id: companyId, complained, sent }: Pick<Complaints, "company_id" | "complained" | "sent">,
  event: NewEvent,
  now: number,
) => ({
  events: insertEvent({ companyId, events: [event], now }),
  notice: addNotice({ companyId, complained, sent, now }),
  paused: (["company", "platform"] as const).map((scope) => pauseBulk({ companyId, scope, now })),
});

/** Statement: the pauses whose owners have not been emailed yet. */
export const findPauseNotices = statement({}, () =>
  selectRows(
    { ...allColumns(complaint_breakers), notice_at: sql<number>`${notice_at}`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${complaint_breakers} where ${notice_at} is not null limit 100`,
  ),
);

/** Statement: ends the notices that identity has accepted. A later notice of the same company remains. */
export const endPauseNotices = statement(
  { notices: json<readonly { company_id: number; notice_at: number }[]>() },
  (p) => {
    const { from, item } = jsonEach(p.notices);
    return sql`update ${complaint_breakers} set ${columnName(notice_at)} = null from ${from}
      where ${company_id} = ${item.company_id} and ${notice_at} = ${item.notice_at}`;
  },
);

/**
 * Statement: forgives the complaints of a company that were counted until now. It runs when staff resume the bulk lane. Without
 * an earlier pause for complaints it changes nothing.
 */
export const forgiveComplaints = statement({ companyId: company_id, day: stats_days.day }, (p) => {
  const days = sql`select ${stats_days.day} as day, sum(${stats_days.complained}) as complained,
    sum(${stats_days.delivered}) as delivered, sum(${stats_days.sent}) as sent from ${stats_days}
    where ${stats_days.company_id} = ${p.companyId} and ${stats_days.day} >= ${p.day} and ${isBulk} group by 1`;
  return sql`update ${complaint_breakers} set ${columnName(notice_at)} = null,
    ${columnName(forgiven)} = (select json_group_object(d.day, json_array(d.complained, d.delivered, d.sent)) from (${days}) d)
    where ${company_id} = ${p.companyId}`;
});
