import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages, stats_days, stats_marks } from "../schema";
import { idAt } from "./messages";

/** The count keys of the totals, in the order of the metric series. */
export const TOTAL_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["failed", "expired", "suppressed", "cancelled"] as const),
];

type CountKey = "queued" | (typeof TOTAL_KEYS)[number];

const { id, counted_before } = stats_marks;
const fromMark = sql`from ${stats_marks} where ${id} = 1`;

/** The roll-ups contain the messages that were created before this time (unix ms). */
export const countedBefore: SQL<number> = sql<number>`(select ${counted_before} ${fromMark})`;

/** The lowest id of a message that the roll-ups do not contain yet. */
export const firstUncounted: SQL<string> = sql<string>`(select ${idAt(counted_before)} ${fromMark})`;

/**
 * The condition that the roll-ups contain a row of `messages`. When the status of such a message changes, the
 * same batch updates the roll-ups. The roll-up job counts all other messages later, with their status at that time.
 */
export const isCounted: SQL = sql`${messages.id} < ${firstUncounted}`;

/** The condition that the roll-up job has not counted a row of `messages` yet. */
export const isUncounted: SQL = sql`${messages.id} >= ${firstUncounted}`;

/**
 * The event type of a row of `messages` in the roll-ups. Mail of a broadcast or newsletter has a row per broadcast or
 * newsletter: `broadcast:<id>`, `newsletter_confirmation:<list id>`.
 */
export const countedType: SQL<string> = sql<string>`case when ${messages.broadcast_id} is not null then ${messages.event_type} || ':' || ${messages.broadcast_id}
  when ${messages.list_id} is not null then ${messages.event_type} || ':' || ${messages.list_id} else ${messages.event_type} end`;

/**
 * The key of the roll-up row to which a row of `messages` belongs: company, UTC day of acceptance, lane and event type.
 */
const statsKey = {
  company_id: messages.company_id,
  day: sql<string>`date(${messages.accepted_at} / 1000, 'unixepoch')`,
  lane: messages.lane,
  event_type: countedType,
};

const countOf = (key: CountKey, status: SQLWrapper = messages.status): SQL<number> =>
  key === "queued"
    ? sql<number>`sum(${status} in ('queued', 'sending', 'retrying'))`
    : sql<number>`sum(${status} = ${key})`;

// A message that a provider accepted counts as sent, whatever its later status is.
const accepted = sql<number>`sum(${messages.sent_at} is not null)`;

/** The number of messages for each key of the totals. */
export const countsByKey = Object.fromEntries(
  TOTAL_KEYS.map((key) => [key, key === "sent" ? accepted : countOf(key)]),
) as Record<(typeof TOTAL_KEYS)[number], SQL<number>>;

/** The number of messages for each key of a roll-up row. */
export const allCounts: Record<CountKey, SQL<number>> = { queued: countOf("queued"), ...countsByKey };

/** Returns an INSERT that adds rows of `messages` to the roll-ups by status. `from` is FROM and WHERE of the rows. */
export function countMessages(from: SQL): SQL {
  return addCounts(allCounts, from);
}

/**
 * Returns an INSERT that moves waiting messages to a final `status` in the roll-ups. `from` is FROM and WHERE of the
 * messages.
 */
export function countMoves(keys: readonly (typeof TOTAL_KEYS)[number][], status: SQLWrapper, from: SQL): SQL {
  const finalCounts = Object.fromEntries(keys.map((key) => [key, countOf(key, status)]));
  return addCounts({ queued: sql<number>`-count(*)`, ...finalCounts }, from);
}

/**
 * Returns an INSERT that moves messages in the roll-ups to the `status` that a provider reported, and counts them as
 * sent if they did not count as sent before. `from` is FROM and WHERE of the messages.
 */
export function countProvided(status: SQLWrapper, from: SQL): SQL {
  const { status: old, sent_at } = messages;
  const keys = ["delivered", "bounced", "complained", "failed", "suppressed"] as const;
  const moved = keys.map((key) => [key, sql<number>`sum((${status} = ${key}) - (${old} = ${key}))`] as const);
  const counts = {
    queued: sql<number>`-sum(${old} in ('queued', 'sending', 'retrying'))`,
    sent: sql<number>`sum(${sent_at} is null)`,
    ...Object.fromEntries(moved),
  };
  return addCounts(counts, from);
}

function addCounts(counts: Partial<Record<CountKey, SQL<number>>>, from: SQL): SQL {
  const unqualified = ({ name }: { name: string }) => sql.identifier(name);
  const { company_id, day, lane, event_type } = stats_days;
  const key = sql.join([company_id, day, lane, event_type].map(unqualified), sql`, `);
  const keys = Object.keys(counts).map((name) => sql.identifier(name));
  const values = [...Object.values(statsKey), ...Object.values(counts)];
  const sums = keys.map((name) => sql`${name} = ${name} + excluded.${name}`);
  return sql`insert into ${stats_days} (${key}, ${sql.join(keys, sql`, `)}) select ${sql.join(values, sql`, `)} ${from}
    group by 1, 2, 3, 4 on conflict (${key}) do update set ${sql.join(sums, sql`, `)}`;
}
