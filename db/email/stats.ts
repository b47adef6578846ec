import { type SQL, sql } from "drizzle-orm";
import { messages, stats_days } from "./schema";

/** Count keys of the totals, in the order of the series. */
export const TOTAL_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["failed", "expired", "suppressed", "cancelled"] as const),
];

/** The key of the roll-up row that counts a row of `messages`: its company, UTC day of acceptance, lane and event. */
export const statsKey = {
  company_id: messages.company_id,
  day: sql<string>`date(${messages.accepted_at} / 1000, 'unixepoch')`,
  lane: messages.lane,
  event_type: messages.event_type,
};

const sumOf = (key: string) => sql`${sql.identifier(key)} = ${sql.identifier(key)} + excluded.${sql.identifier(key)}`;

/** The end of an INSERT into `stats_days`: the counts of a row that is there already go up by the new ones. */
export function addCounts(...keys: ("queued" | (typeof TOTAL_KEYS)[number])[]): SQL {
  const { company_id, day, lane, event_type } = stats_days;
  const key = [company_id, day, lane, event_type].map(({ name }) => sql.identifier(name));
  return sql`on conflict (${sql.join(key, sql`, `)}) do update set ${sql.join(keys.map(sumOf), sql`, `)}`;
}
