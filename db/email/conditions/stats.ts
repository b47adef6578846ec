import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { messages, stats_days, stats_marks } from "../schema";
import { idAt } from "./messages";

/** Count keys of the totals, in the order of the series. */
export const TOTAL_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["failed", "expired", "suppressed", "cancelled"] as const),
];

type CountKey = "queued" | (typeof TOTAL_KEYS)[number];

const { id, counted_before } = stats_marks;
const theMark = sql`from ${stats_marks} where ${id} = 1`;

/** The time (unix ms) before which messages were made that the roll-ups hold. */
export const countedBefore: SQL<number> = sql<number>`(select ${counted_before} ${theMark})`;

/** The least id of a message that the roll-ups do not hold. */
export const firstUncounted: SQL<string> = sql<string>`(select ${idAt(counted_before)} ${theMark})`;

/**
 * Whether the roll-ups hold a row of `messages`. What moves such a message counts the move in its own batch; any other
 * message is counted by the fold, by what has become of it until then.
 */
export const isCounted: SQL = sql`${messages.id} < ${firstUncounted}`;

/** Whether a row of `messages` is still to be folded. */
export const isUncounted: SQL = sql`${messages.id} >= ${firstUncounted}`;

/** The key of the roll-up row that counts a row of `messages`: its company, UTC day of acceptance, lane and event. */
const statsKey = {
  company_id: messages.company_id,
  day: sql<string>`date(${messages.accepted_at} / 1000, 'unixepoch')`,
  lane: messages.lane,
  event_type: messages.event_type,
};

const countOf = (key: CountKey, status: SQLWrapper = messages.status): SQL<number> =>
  key === "queued"
    ? sql<number>`sum(${status} in ('queued', 'sending', 'retrying'))`
    : sql<number>`sum(${status} = ${key})`;

// What a provider accepted stays sent, whatever becomes of it then.
const accepted = sql<number>`sum(${messages.sent_at} is not null)`;

/** How many rows of `messages` a total counts. */
export const countsByKey = Object.fromEntries(
  TOTAL_KEYS.map((key) => [key, key === "sent" ? accepted : countOf(key)]),
) as Record<(typeof TOTAL_KEYS)[number], SQL<number>>;

/** How many rows of `messages` each key of a roll-up row counts. */
export const allCounts: Record<CountKey, SQL<number>> = { queued: countOf("queued"), ...countsByKey };

/** Into the roll-ups: rows of `messages`, by what has become of them. `from` is FROM and WHERE. */
export function countMessages(from: SQL): SQL {
  return addCounts(allCounts, from);
}

/** Into the roll-ups: waiting messages that come to a final state. `from` is FROM and WHERE, `status` the state of each. */
export function countMoves(keys: readonly (typeof TOTAL_KEYS)[number][], status: SQLWrapper, from: SQL): SQL {
  const ends = Object.fromEntries(keys.map((key) => [key, countOf(key, status)]));
  return addCounts({ queued: sql<number>`-count(*)`, ...ends }, from);
}

/**
 * Into the roll-ups: a message that a provider tells of comes to `status`; its acceptance is told with it. `from` is FROM and
 * WHERE.
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
