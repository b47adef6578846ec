import type { BroadcastRow } from "../../../../db/email/rows";
import type { BroadcastCounts } from "../../../../schemas/email/audience/broadcasts";
import type { BatchResults } from "../../../kit/db/db";
import { DAY_MS } from "../../../kit/time";
import { type DayOfBroadcast, findCounted, findCounters, findUncounted, type STATUS_KEYS } from "./counts.store";

/** The columns of a broadcast that its counts need. */
export type CountedBroadcast = Pick<
  BroadcastRow,
  "id" | "company_id" | "template_key" | "state" | "started_at" | "sent_at" | "updated_at"
>;

/**
 * Returns the statements that read the counts of broadcasts of one company. They must run in one batch, because a message that is
 * created between two reads would make the counts differ from their sum. `now` is in unix ms.
 */
export const selectCounts = (companyId: number, rows: readonly CountedBroadcast[], now: number) => ({
  counters: findCounters({ ids: rows.map((row) => row.id) }),
  counted: findCounted({ days: rows.flatMap((row) => daysOf(row, now)) }),
  uncounted: findUncounted({ companyId, keys: rows.map(({ template_key }) => template_key) }),
});

/** Converts the results of selectCounts to the counts by broadcast id. */
export function readCounts(results: BatchResults<ReturnType<typeof selectCounts>>): Map<number, BroadcastCounts> {
  const parts = [...results.counted.rows, ...results.uncounted.rows];
  return new Map(
    results.counters.rows.map((row) => {
      const sumOf = (key: (typeof STATUS_KEYS)[number]) =>
        parts.reduce((sum, part) => sum + (part.id === row.id ? part[key] : 0), 0);
      const final = {
        queued: sumOf("queued"),
        delivered: sumOf("delivered"),
        bounced: sumOf("bounced"),
        complained: sumOf("complained"),
        cancelled: sumOf("cancelled"),
        failed: sumOf("failed") + sumOf("expired") + sumOf("suppressed"),
      };
      const ended = Object.values(final).reduce((sum, n) => sum + n, 0);
      const counts = {
        pending: row.pending,
        skipped_unsubscribed: row.skipped_unsubscribed,
        skipped_suppressed: row.skipped_suppressed,
        ...final,
        sent: row.messages - ended,
        cancelled: final.cancelled + row.removed,
      };
      return [row.id, { total: Object.values(counts).reduce((sum, n) => sum + n, 0), ...counts }];
    }),
  );
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
