import type { EventFilter } from "../../../../schemas/webhooks/event-log";
import type { LogPage } from "../../http/paging/log-page";
import { DAY_MS } from "../../time";
import type { EventLog } from "./event-log.store";
import { logListReads } from "./log-list";

export type { EventRow } from "./event-log.store";

/** The reads of events of a company, or of platform events for null, newest first. */
export function eventListReads({ lists }: EventLog, companyId: number | null, filter: EventFilter, page: LogPage) {
  const { event_id = null, user_id = null, event_type: types = null, user } = filter;
  const asked = { types, user_id, event_id, user: user ? user.toLowerCase() : null };
  const query = { companyId, filter, asked };
  if (event_id !== null) return logListReads(lists.event_id, { ...query, keys: [event_id] }, page);
  if (user_id !== null) return logListReads(lists.user_id, { ...query, keys: [user_id] }, page);
  if (types !== null) return logListReads(lists.event_type, { ...query, keys: types }, page);
  if (user) return logListReads(lists.time, { ...query, keys: [0] }, page);
  return logListReads(lists.all, { ...query, keys: [0], asked: {} }, page);
}

/** Whether the oldest event of a company is more than one day past its retention. */
export function isStale(oldest: number | null, retentionDays: number, now: number): boolean {
  return oldest !== null && oldest < now - (retentionDays + 1) * DAY_MS;
}
