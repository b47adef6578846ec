import type { BroadcastRow } from "../../../../db/email/rows";
import type { BroadcastCounts } from "../../../../schemas/email/audience/broadcasts";
import { COUNT_KEYS } from "../../../../schemas/email/delivery/stats";
import type { BatchResults } from "../../../kit/db/db";
import { DAY_MS } from "../../../kit/time";
import { type DayOfBroadcast, findCounters, findMessageCounts, type MessageCounts } from "./counts.store";

export type { MessageCounts };

/** The columns of a broadcast that its counts need. */
export type CountedBroadcast = Pick<
  BroadcastRow,
  "id" | "company_id" | "template_key" | "state" | "started_at" | "sent_at" | "updated_at"
>;

/** The counts that a broadcast stores: of its recipients without a message, and of all its messages. */
export type Counters = Pick<
  BroadcastRow,
  "pending" | "skipped_unsubscribed" | "skipped_suppressed" | "removed" | "messages"
>;

/** Returns the statement that reads the numbers of messages of broadcasts of one company. `now` is in unix ms. */
export const selectMessageCounts = (companyId: number, rows: readonly CountedBroadcast[], now: number) =>
  findMessageCounts({
    days: rows.flatMap((row) => daysOf(row, now)),
    companyId,
    keys: rows.map(({ template_key }) => template_key),
    since: Math.min(...rows.map(({ started_at }) => started_at ?? now)),
  });

/**
 * Returns the statements that read the counts of broadcasts of one company. They must run in one batch, because a message that is
 * created between two reads would make the counts differ from their sum. `now` is in unix ms.
 */
export const selectCounts = (companyId: number, rows: readonly CountedBroadcast[], now: number) => ({
  counters: findCounters({ ids: rows.map((row) => row.id) }),
  messages: selectMessageCounts(companyId, rows, now),
});

/** Converts the results of selectCounts to the counts by broadcast id. */
export function readCounts(results: BatchResults<ReturnType<typeof selectCounts>>): Map<number, BroadcastCounts> {
  return new Map(
    results.counters.rows.map((row) => [row.id, presentCounts(row, messageCountsOf(row.id, results.messages.rows))]),
  );
}

/** Returns the numbers of messages of a broadcast from the rows of selectMessageCounts. */
export function messageCountsOf(id: number, rows: readonly ({ id: number } & MessageCounts)[]): MessageCounts {
  const own = rows.filter((row) => row.id === id);
  const sumOf = (key: keyof MessageCounts) => own.reduce((sum, row) => sum + row[key], 0);
  return Object.fromEntries(COUNT_KEYS.map((key) => [key, sumOf(key)])) as MessageCounts;
}

/** Returns the counts of a broadcast as the API shows them. `total` is their sum. */
export function presentCounts({ messages, removed, ...counters }: Counters, counts: MessageCounts): BroadcastCounts {
  const { queued, delivered, bounced, complained } = counts;
  const failed = counts.failed + counts.expired + counts.suppressed;
  const others = queued + delivered + bounced + complained + failed + counts.cancelled;
  const shown = {
    pending: counters.pending,
    skipped_unsubscribed: counters.skipped_unsubscribed,
    skipped_suppressed: counters.skipped_suppressed,
    queued,
    sent: messages - others,
    delivered,
    bounced,
    complained,
    cancelled: counts.cancelled + removed,
    failed,
  };
  return { total: Object.values(shown).reduce((sum, n) => sum + n, 0), ...shown };
}

const RUNNING: readonly BroadcastRow["state"][] = ["preparing", "sending", "paused"];

/** Returns the UTC days on which messages of a broadcast were created. */
function daysOf(
  { id: broadcastId, company_id, state, started_at, sent_at, updated_at }: CountedBroadcast,
  now: number,
) {
  if (started_at === null) return [];
  const end = RUNNING.includes(state) ? now : Math.max(sent_at ?? 0, updated_at);
  const days: DayOfBroadcast[] = [];
  for (let at = started_at - (started_at % DAY_MS); at <= end; at += DAY_MS)
    days.push({ id: broadcastId, company_id, day: new Date(at).toISOString().slice(0, 10) });
  return days;
}
