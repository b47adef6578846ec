import type * as z from "zod";
import type { loginFilter } from "../../../../schemas/identity/sign-in/login-events";
import {
  type EventPage,
  hashOfRequest,
  rangeOfPage,
  selectFilteredPage,
} from "../../../kit/webhooks/event-log/log-list";
import { idsOfNumber } from "../../../kit/webhooks/events/event-key";
import { findLoginEvent, loginLists } from "./login-event.store";

/** Returns the statements that select a page of a company's login events, newest first. */
export function selectLoginEvents(companyId: number, filter: z.output<typeof loginFilter>, page: EventPage) {
  const { outcome = null, provider = null, user_id = null, country = null, city = null, timezone = null } = filter;
  const { is_staff_at_event = null, request_id } = filter;
  const request = hashOfRequest(request_id);
  const filters = { outcome, provider, user_id, is_staff_at_event, country, city, timezone, request };
  const range = rangeOfPage(companyId, filter, page);
  if (user_id === null) return selectFilteredPage(loginLists.all, range, filters, page);
  return selectFilteredPage(loginLists.ofUser, { ...range, by: user_id }, filters, page);
}

/** Returns the statement that selects a login event of a company by the integer id of the API. */
export const selectLoginEvent = (company: number, number: number) =>
  findLoginEvent({ company, ...idsOfNumber(number) });
