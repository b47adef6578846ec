import type * as z from "zod";
import type { eventFilter, loginFilter } from "../../../schemas/identity/event-log";
import type { SqlValue } from "../../kit/db";
import type { LogPage } from "../../kit/http/log-page";
import { rowIdOf } from "../../kit/http/path-id";
import { Problem } from "../../kit/problem";
import type { IdentityServices } from "../services";
import { type EventRow, eventLists, findEvent, type LogList, loginLists } from "../store/event-log-reads";
import { admit } from "./caller";

type Period = { created_after?: number | undefined; created_before?: number | undefined };
type Found = { rows: EventRow[]; count: number };

const dayMs = 86_400_000;

/** Events of a company, or platform events for null, newest first (details 11); one round trip. */
export function listEvents(
  services: IdentityServices,
  companyId: number | null,
  filter: z.output<typeof eventFilter>,
  page: LogPage,
): Promise<Found> {
  const { event_id = null, user_id = null, event_type: types = null, user } = filter;
  const values = [types && JSON.stringify(types), user_id, event_id, user ? user.toLowerCase() : null];
  const read = (list: LogList, keys: SqlValue[]) => readList(services, list, { companyId, keys, filter, page, values });
  if (event_id !== null) return read(eventLists.event_id, [event_id]);
  if (user_id !== null) return read(eventLists.user_id, [user_id]);
  if (types !== null) return read(eventLists.event_type, types);
  if (user) return read(eventLists.time, [0]);
  return readList(services, eventLists.all, { companyId, keys: [0], filter, page, values: [] });
}

/** The filters of login events, those first that leave the fewest rows. */
const loginKeys = ["user_id", "city", "timezone", "country", "is_staff_at_event", "provider", "outcome"] as const;

/** Login events of a company, newest first (details 11); one round trip. */
export function listLoginEvents(
  services: IdentityServices,
  companyId: number,
  filter: z.output<typeof loginFilter>,
  page: LogPage,
): Promise<Found> {
  const { outcome = null, provider = null, user_id = null, country = null, city = null, timezone = null } = filter;
  const isStaff = filter.is_staff_at_event === undefined ? null : Number(filter.is_staff_at_event);
  const given = { outcome, provider, user_id, is_staff_at_event: isStaff, country, city, timezone };
  const by = loginKeys.find((name) => given[name] !== null) ?? "outcome";
  const keys = given[by] === null ? ["success", "failure"] : [given[by]];
  return readList(services, loginLists[by], { companyId, keys, filter, page, values: Object.values(given) });
}

/** Rows and, but behind a cursor, their number; one round trip. */
async function readList(
  { db }: IdentityServices,
  list: LogList,
  ask: { companyId: number | null; keys: SqlValue[]; filter: Period; page: LogPage; values: SqlValue[] },
): Promise<Found> {
  const { companyId, keys, filter, page, values } = ask;
  const { created_after: from = 0, created_before: until = Number.MAX_SAFE_INTEGER } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER, id: 0 };
  const asked = [
    companyId,
    JSON.stringify(keys),
    from,
    Math.min(until, after.created_at + 1),
    after.created_at,
    after.id,
    ...values,
  ];
  const [rows, count] = await db.batch<[EventRow, { count: number }]>([
    list.rows.bind(db, ...asked, page.pageSize + 1, page.offset),
    ...(page.after ? [] : [list.count.bind(db, ...asked)]),
  ]);
  return { rows: rows.results, count: count?.results[0]?.count ?? 0 };
}

/**
 * The event of a path, for an owner of its company or staff; 404 for one of another company. Staff see every company and
 * the platform's events, and naming a company leaves out the other ones.
 */
export async function requireEvent(
  services: IdentityServices,
  request: Request,
  id: string | undefined,
): Promise<EventRow> {
  const reads = () => [findEvent.bind(services.db, rowIdOf(id))];
  const { caller, company, results } = await admit<[EventRow]>(services, request, "owner", { reads });
  const event = results[0].results[0];
  const isNamed = new URL(request.url).searchParams.has("company_id");
  const isForStaff = caller.isStaff && (!isNamed || event?.company_id === null);
  if (!event || (event.company_id !== company.id && !isForStaff)) throw new Problem("not_found");
  return event;
}

/** Whether the oldest event of a company is more than one day past its retention (Document 3 details 4.9). */
export function isStale(oldest: number | null, retentionDays: number, now: number): boolean {
  return oldest !== null && oldest < now - (retentionDays + 1) * dayMs;
}
