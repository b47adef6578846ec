import type { EventFilter } from "../../../../schemas/webhooks/event-log";
import type { Db, SqlValue } from "../../db";
import type { LogPage } from "../../http/paging/log-page";
import { type EventLog, type LogList, logListReads } from "./event-log.store";

const dayMs = 86_400_000;

/** The reads of events of a company, or of platform events for null, newest first (details of Document 3, 4.9). */
export function eventListReads(
  db: Db,
  { lists }: EventLog,
  companyId: number | null,
  filter: EventFilter,
  page: LogPage,
): D1PreparedStatement[] {
  const { event_id = null, user_id = null, event_type: types = null, user } = filter;
  const values = [types && JSON.stringify(types), user_id, event_id, user ? user.toLowerCase() : null];
  const read = (list: LogList, keys: SqlValue[], asked: SqlValue[] = values) =>
    logListReads(db, list, { companyId, keys, filter, values: asked }, page);
  if (event_id !== null) return read(lists.event_id, [event_id]);
  if (user_id !== null) return read(lists.user_id, [user_id]);
  if (types !== null) return read(lists.event_type, types);
  if (user) return read(lists.time, [0]);
  return read(lists.all, [0], []);
}

/** Whether the oldest event of a company is more than one day past its retention (details of Document 3, 4.9). */
export function isStale(oldest: number | null, retentionDays: number, now: number): boolean {
  return oldest !== null && oldest < now - (retentionDays + 1) * dayMs;
}
