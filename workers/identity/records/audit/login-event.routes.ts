import { loginEventSchema, loginFilter, loginQuery } from "../../../../schemas/identity/sign-in/login-events";
import { pageSchema } from "../../../../schemas/page";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { presentPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { readRowId } from "../../../kit/http/request/path-id";
import { readEventPage, toEventPage } from "../../../kit/webhooks/event-log/log-list";
import type { IdentityService } from "../../http";
import { selectLoginEvent, selectLoginEvents } from "./login-event";
import { presentLoginEvent } from "./login-event.present";

const PATH = "/api/v1/login-events";
const common = { method: "get", tags: ["Events"], role: "owner" } as const;

/** Mounts the endpoints that list a company's sign-ins, both completed and rejected. */
export function mountLoginEvents({ call }: IdentityService): void {
  call(
    {
      ...common,
      path: PATH,
      summary: "List the sign-ins of a company, newest first",
      query: loginQuery,
      input: ({ query }) => ({ page: readEventPage(query), filter: parse(loginFilter, query) }),
      reads: ({ companyId, input: { filter, page } }) => selectLoginEvents(companyId, filter, page),
      responses: { 200: jsonResponse(pageSchema(loginEventSchema), "A page") },
    },
    ({ c, input: { page }, results }) => c.json(presentPage(page, toEventPage(page, results), presentLoginEvent)),
  );
  call(
    {
      ...common,
      path: `${PATH}/{id}`,
      summary: "Get a sign-in",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: id }) => ({ event: selectLoginEvent(companyId, id) }),
      row: ({ results }) => results.event.first,
      responses: { 200: jsonResponse(loginEventSchema, "The sign-in") },
    },
    ({ c, row: event }) => c.json(presentLoginEvent(event)),
  );
}
