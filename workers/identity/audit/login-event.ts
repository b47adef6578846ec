import type * as z from "zod";
import type { loginFilter } from "../../../schemas/identity/login-events";
import type { LogPage } from "../../kit/http/paging/log-page";
import { logListReads } from "../../kit/webhooks/event-log/log-list";
import { loginLists } from "./login-event.store";

/** The filters of login events, those first that leave the fewest rows. */
const LIST_ORDER = ["user_id", "city", "timezone", "country", "is_staff_at_event", "provider", "outcome"] as const;

/** The reads of login events of a company, newest first. */
export function loginEventReads(companyId: number, filter: z.output<typeof loginFilter>, page: LogPage) {
  const { outcome = null, provider = null, user_id = null, country = null, city = null, timezone = null } = filter;
  const { is_staff_at_event = null } = filter;
  const asked = { outcome, provider, user_id, is_staff_at_event, country, city, timezone };
  const by = LIST_ORDER.find((name) => asked[name] !== null) ?? "outcome";
  const key = asked[by];
  const keys = key === null ? ["success", "failure"] : [key];
  return logListReads(loginLists[by], { companyId, keys, filter, asked }, page);
}
