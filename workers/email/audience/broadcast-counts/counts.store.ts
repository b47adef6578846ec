import { eq, sql } from "drizzle-orm";
import { ID_CREATED_WITHIN_MS } from "../../../../db/email/conditions/messages";
import { allCounts, countedBefore, isUncounted, TOTAL_KEYS } from "../../../../db/email/conditions/stats";
import { broadcasts, messages, stats_days } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { indexedBy, isInList, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The columns of roll-ups that count messages. */
export const STATUS_KEYS = ["queued", ...TOTAL_KEYS] as const;

const { id, pending, skipped_unsubscribed, skipped_suppressed, removed } = broadcasts;
const counters = { id, pending, skipped_unsubscribed, skipped_suppressed, removed, messages: broadcasts.messages };

/** Statement: the counters that broadcasts store. */
export const findCounters = statement({ ids: json<readonly number[]>() }, (p) =>
  queryBuilder.select(counters).from(broadcasts).where(isInList(id, p.ids)),
);

/** A broadcast and a UTC day on which its messages may have been created. */
export type DayOfBroadcast = { id: number; company_id: number; day: string };

const keyed = { id: sql`part.id`.mapWith(integer) };
const summed = Object.fromEntries(
  STATUS_KEYS.map((key) => [key, sql`part.${sql.identifier(key)}`.mapWith(integer)]),
) as Record<(typeof STATUS_KEYS)[number], ReturnType<typeof sql<number>>>;

/** Statement: the messages in the roll-ups, by broadcast. Reads one row per day and broadcast by its primary key. */
export const findCounted = statement({ days: json<readonly DayOfBroadcast[]>() }, (p) => {
  const { from, item } = jsonEach(p.days);
  const sums = STATUS_KEYS.map((key) => sql`sum(${stats_days[key]}) as ${sql.identifier(key)}`);
  return selectRows(
    { ...keyed, ...summed },
    (columns) => sql`select ${columns} from (select ${item.id} as id, ${sql.join(sums, sql`, `)}
      from ${from} cross join ${stats_days} on ${stats_days.company_id} = ${item.company_id} and ${stats_days.day} = ${item.day}
        and ${stats_days.lane} = 'bulk' and ${stats_days.event_type} = 'broadcast:' || (${item.id})
      group by 1) part`,
  );
});

/** Statement: the messages of these templates that are not rolled up yet, by broadcast. */
export const findUncounted = statement({ companyId: messages.company_id, keys: json<readonly string[]>() }, (p) => {
  const sums = STATUS_KEYS.map((key) => sql`${allCounts[key]} as ${sql.identifier(key)}`);
  return selectRows(
    { ...keyed, ...summed },
    (columns) => sql`select ${columns} from (select ${messages.broadcast_id} as id, ${sql.join(sums, sql`, `)}
      from ${indexedBy(messages, "messages_company")} where ${eq(messages.company_id, p.companyId)}
        and ${messages.accepted_at} >= ${countedBefore} - ${ID_CREATED_WITHIN_MS} and ${isUncounted}
        and ${isInList(messages.template_key, p.keys)} and ${messages.broadcast_id} is not null
      group by 1) part`,
  );
});
