import { and, gt, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { event_log } from "../../../db/kit/webhooks";
import { idBefore } from "../../../workers/kit/ids";
import { idsOfNumber } from "../../../workers/kit/webhooks/events/event-key";

const made = new Map<number, number>();

/** The id of an event at a time (unix ms); later ones of the same time are greater. */
export function eventIdAt(ms: number): string {
  const count = made.get(ms) ?? 0;
  made.set(ms, count + 1);
  const sequence = (count & 0xfff).toString(16).padStart(3, "0");
  return `${idBefore(ms)}-7${sequence}-8000-${count.toString(16).padStart(12, "0")}`;
}

/** The ids of numbered events at the times that an expression tells. */
export const numberedEventId = (ms: SQLWrapper, i: SQLWrapper) =>
  sql<string>`printf('%08x-%04x-7%03x-9000-%012x', (${ms}) / 65536, (${ms}) % 65536, ${i} & 4095, ${i})`;

/** Whether an event is the one that the API names by this integer. */
export function isNumbered(number: number | null | undefined): SQL | undefined {
  const { above, below } = idsOfNumber(number ?? null);
  return and(gt(event_log.id, above), lt(event_log.id, below));
}
