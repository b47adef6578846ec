import { eq, type SQL, sql } from "drizzle-orm";
import { ID_CREATED_WITHIN_MS } from "../../../../db/email/conditions/messages";
import { allCounts, countedBefore, isUncounted } from "../../../../db/email/conditions/stats";
import { broadcasts, messages, stats_days } from "../../../../db/email/schema";
import { COUNT_KEYS } from "../../../../schemas/email/delivery/stats";
import { integer, json } from "../../../kit/db/kind";
import { indexedBy, isInList, jsonEach, queryBuilder, type SelectedRow, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

type CountKey = (typeof COUNT_KEYS)[number];

const { id, pending, skipped_unsubscribed, skipped_suppressed, removed } = broadcasts;
const counters = { id, pending, skipped_unsubscribed, skipped_suppressed, removed, messages: broadcasts.messages };

/** Statement: the counters that broadcasts store. */
export const findCounters = statement({ ids: json<readonly number[]>() }, (p) =>
  queryBuilder.select(counters).from(broadcasts).where(isInList(id, p.ids)),
);

/** A broadcast and a UTC day on which its messages may have been created. */
export type DayOfBroadcast = { id: number; company_id: number; day: string };

const sums = Object.fromEntries(
  COUNT_KEYS.map((key) => [key, sql`part.${sql.identifier(key)}`.mapWith(integer)]),
) as Record<CountKey, SQL<number>>;
const fields = { id: sql`part.id`.mapWith(integer), ...sums };

/** The numbers of messages of a broadcast by count key. `queued` counts all that wait or are being sent. */
export type MessageCounts = SelectedRow<typeof sums>;

const columnsOf = (key: SQL, value: (count: CountKey) => SQL) =>
  sql.join(
    [sql`${key} as id`, ...COUNT_KEYS.map((count) => sql`${value(count)} as ${sql.identifier(count)}`)],
    sql`, `,
  );

/**
 * Statement: the numbers of messages of broadcasts, in a row for those in the roll-ups and a row for those that are not rolled
 * up yet. Reads a row of the roll-ups per day and broadcast, and the messages of the company since `since` (unix ms) or the
 * last roll-up.
 */
export const findMessageCounts = statement(
  {
    days: json<readonly DayOfBroadcast[]>(),
    companyId: messages.company_id,
    keys: json<readonly string[]>(),
    since: integer,
  },
  (p) => {
    const { from, item } = jsonEach(p.days);
    const rolledUp = columnsOf(sql`${item.id}`, (key) => sql`sum(${stats_days[key]})`);
    const recent = columnsOf(sql`${messages.broadcast_id}`, (key) => allCounts[key]);
    return selectRows(
      fields,
      (columns) => sql`select ${columns} from (
        select ${rolledUp} from ${from} cross join ${stats_days} on ${stats_days.company_id} = ${item.company_id}
            and ${stats_days.day} = ${item.day} and ${stats_days.lane} = 'bulk' and ${stats_days.event_type} = 'broadcast:' || (${item.id})
          group by 1
        union all select ${recent} from ${indexedBy(messages, "messages_company")} where ${eq(messages.company_id, p.companyId)}
            and ${messages.accepted_at} >= max(${p.since}, ${countedBefore} - ${ID_CREATED_WITHIN_MS}) and ${isUncounted}
            and ${isInList(messages.template_key, p.keys)} and ${messages.broadcast_id} is not null
          group by 1) part`,
    );
  },
);
