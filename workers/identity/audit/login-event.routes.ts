import * as z from "zod";
import { loginEventSchema, loginFilter, loginQuery } from "../../../schemas/identity/login-events";
import { lazySchema } from "../../../schemas/lazy-schema";
import { cursorPageSchema } from "../../../schemas/webhooks/page";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { presentLogPage, readLogPage } from "../../kit/http/paging/log-page";
import { parse } from "../../kit/http/request/parse";
import { readRowId } from "../../kit/http/request/path-id";
import type { IdentityService } from "../http";
import { loginEventReads } from "./login-event";
import { presentLoginEvent } from "./login-event.present";
import { findLoginEvent } from "./login-event.store";

const PATH = "/api/v1/login-events";
const common = { method: "get", tags: ["Events"], role: "owner" } as const;

/** Mounts the sign-ins of a company, completed and refused ones. */
export function mountLoginEvents({ call }: IdentityService): void {
  call(
    {
      ...common,
      path: PATH,
      summary: "Sign-ins of a company, newest first",
      query: loginQuery,
      input: ({ query }) => ({ page: readLogPage(query), filter: parse(loginFilter, query) }),
      reads: ({ companyId, input: { filter, page } }) => loginEventReads(companyId, filter, page),
      answers: { 200: jsonResponse(cursorPageSchema(loginEventSchema), "A page") },
    },
    ({ c, input: { page }, results: { rows, count } }) =>
      c.json(presentLogPage(page, count?.first?.count ?? 0, rows.rows, presentLoginEvent)),
  );
  call(
    {
      ...common,
      path: `${PATH}/{id}`,
      summary: "A sign-in",
      query: lazySchema(() => z.object({ company_id: z.string().optional() })),
      params: lazySchema(() => z.object({ id: z.string() })),
      input: ({ params }) => readRowId(params.id),
      reads: ({ input: id }) => ({ event: findLoginEvent({ id }) }),
      // Staff see every company's, and naming a company leaves out the other ones.
      row: ({ caller, scope, named, results }) => {
        const event = results.event.first;
        const isShown = event?.company_id === scope.id || (caller.isStaff && named.query === undefined);
        return isShown ? event : null;
      },
      answers: { 200: jsonResponse(loginEventSchema, "The sign-in") },
    },
    ({ c, row: event }) => c.json(presentLoginEvent(event)),
  );
}
