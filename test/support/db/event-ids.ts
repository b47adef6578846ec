import { and, gt, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { event_log } from "../../../db/kit/webhooks";
import { idBefore } from "../../../workers/kit/ids";
import { idsOfNumber } from "../../../workers/kit/webhooks/events/event-key";

const countByTime = new Map<number, number>();

/** Returns an event id for a time (ms since the epoch); later ids for the same time are greater. */
export function eventIdAt(ms: number): string {
  const count = countByTime.get(ms) ?? 0;
  countByTime.set(ms, count + 1);
  const sequence = (count & 0xfff).toString(16).padStart(3, "0");
  return `${idBefore(ms)}-7${sequence}-8000-${count.toString(16).padStart(12, "0")}`;
}

/**
 * Returns an SQL expression for an event id, given expressions for the event's time (ms since the epoch) and its
 * number.
 */
export const numberedEventId = (ms: SQLWrapper, i: SQLWrapper) =>
  sql<string>`printf('%08x-%04x-7%03x-9000-%012x', (${ms}) / 65536, (${ms}) % 65536, ${i} & 4095, ${i})`;

/** Returns the condition that selects the event with this integer id in the API. */
export function isNumbered(number: number | null | undefined): SQL | undefined {
  const { above, below } = idsOfNumber(number ?? null);
  return and(gt(event_log.id, above), lt(event_log.id, below));
}
