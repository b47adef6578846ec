import { canonicalAddress } from "../../../../schemas/text/address";
import type { EventFilter } from "../../../../schemas/webhooks/event-log";
import { DAY_MS } from "../../time";
import type { EventLog, EventRow } from "../event-store/rows";
import { idsOfNumber, timeOfId } from "../events/event-key";
import {
  type EventPage,
  hashOfRequest,
  type PageReads,
  rangeOfPage,
  selectExactPage,
  selectFilteredPage,
} from "./log-list";

export type { EventRow } from "../event-store/rows";

/**
 * Maximum number of index rows (types × (offset + limit)) that a page merges from one index range per type. Above it, a
 * filtered scan reads fewer rows.
 */
const MAX_MERGED_ROWS = 1000;

/** Returns the statement that reads a company's event by its integer id in the API; null matches no event. */
export const selectEvent = ({ find }: EventLog, company: number, apiId: number | null) =>
  find({ company, ...idsOfNumber(apiId) });

/** Returns the statements that read a page of the events of a company or of the platform, newest first. */
export function selectEvents(
  { lists, frequentTypes }: EventLog,
  company: number,
  filter: EventFilter,
  page: EventPage,
): PageReads<EventRow> {
  const { event_id: event, user_id = null, event_type: types = null, user, request_id } = filter;
  const filters = { types, user_id, user: user ? canonicalAddress(user) : null, request: hashOfRequest(request_id) };
  const range = rangeOfPage(company, filter, page);
  if (event !== undefined) return { rows: lists.event({ ...range, event, ...filters }), count: null, scanned: null };
  const { ofUser } = lists;
  if (user_id !== null && ofUser !== null) {
    const byUser = { ...range, by: user_id };
    const isAll = types === null && !user && request_id === undefined;
    return isAll
      ? selectExactPage(ofUser.all, byUser, page)
      : selectFilteredPage(ofUser.filtered, byUser, filters, page);
  }
  if (user_id === null && !user && request_id === undefined) {
    if (types === null) return selectExactPage(lists.all, range, page);
    const isRare = types.every((type) => !frequentTypes.includes(type));
    const isCheap = types.length * (page.offset + page.limit) <= MAX_MERGED_ROWS;
    if (isRare && isCheap) return selectExactPage(lists.types, { ...range, types }, page);
  }
  return selectFilteredPage(lists.filtered, range, filters, page);
}

/** Returns the time of the oldest event of a company (unix ms) from its id. */
export const oldestTime = (oldest: string | undefined): number | null =>
  oldest === undefined ? null : timeOfId(oldest);

/** Returns whether the oldest event of a company is more than one day past its retention. */
export function isStale(oldest: number | null, retentionDays: number, now: number): boolean {
  return oldest !== null && oldest < now - (retentionDays + 1) * DAY_MS;
}
