import type * as z from "zod";
import type { loginFilter } from "../../../schemas/identity/login-events";
import type { LogPage } from "../../kit/http/paging/log-page";
import { rowIdOf } from "../../kit/http/request/path-id";
import { Problem } from "../../kit/problem";
import { logListReads } from "../../kit/webhooks/event-log/event-log.store";
import { admit } from "../caller/caller";
import type { IdentityServices } from "../services";
import { type EventRow, findEvent, loginLists } from "./login-event.store";

/** The filters of login events, those first that leave the fewest rows. */
const loginKeys = ["user_id", "city", "timezone", "country", "is_staff_at_event", "provider", "outcome"] as const;

/** The reads of login events of a company, newest first (details 11). */
export function loginEventReads(
  { db }: IdentityServices,
  companyId: number,
  filter: z.output<typeof loginFilter>,
  page: LogPage,
): D1PreparedStatement[] {
  const { outcome = null, provider = null, user_id = null, country = null, city = null, timezone = null } = filter;
  const isStaff = filter.is_staff_at_event === undefined ? null : Number(filter.is_staff_at_event);
  const given = { outcome, provider, user_id, is_staff_at_event: isStaff, country, city, timezone };
  const by = loginKeys.find((name) => given[name] !== null) ?? "outcome";
  const keys = given[by] === null ? ["success", "failure"] : [given[by]];
  return logListReads(db, loginLists[by], { companyId, keys, filter, values: Object.values(given) }, page);
}

/**
 * The login event of a path, for an owner of its company or staff; 404 for one of another company. Staff see every
 * company's, and naming a company leaves out the other ones.
 */
export async function requireLoginEvent(
  services: IdentityServices,
  request: Request,
  id: string | undefined,
): Promise<EventRow> {
  const reads = () => [findEvent.bind(services.db, rowIdOf(id))];
  const { caller, company, results } = await admit<[EventRow]>(services, request, "owner", { reads });
  const event = results[0].results[0];
  const isNamed = new URL(request.url).searchParams.has("company_id");
  if (!event || event.outcome === null) throw new Problem("not_found");
  if (event.company_id !== company.id && (isNamed || !caller.isStaff)) throw new Problem("not_found");
  return event;
}
