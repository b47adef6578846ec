import * as z from "zod";
import { identityErrors } from "../../../schemas/identity/errors";
import { loginEventSchema, loginFilter, loginQuery } from "../../../schemas/identity/login-events";
import { cursorPageSchema } from "../../../schemas/webhooks/page";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentLogPage, readLogPage } from "../../kit/http/paging/log-page";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import { type ListResults, readListResults } from "../../kit/webhooks/list-results";
import { admit } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { loginEventReads, requireLoginEvent } from "./login-event";
import { presentLoginEvent } from "./login-event.present";
import type { EventRow } from "./login-event.store";

const path = "/api/v1/login-events";
const errors = [
  "unauthorized",
  "token_invalid",
  "access_pending",
  "access_denied",
  "validation_failed",
  "company_mismatch",
  "forbidden",
  "not_found",
  "service_unavailable",
];

/** Mounts the sign-ins of a company, completed and refused ones (identity details 11). */
export function mountLoginEvents(service: IdentityService): void {
  const common = { method: "get" as const, tags: ["Events"], security: [{ bearerAuth: [] }] };
  const refusals = problemResponses(identityErrors, errors);
  service.route(
    {
      ...common,
      path,
      summary: "Sign-ins of a company, newest first",
      request: { query: loginQuery },
      responses: { 200: jsonResponse(cursorPageSchema(loginEventSchema), "A page"), ...refusals },
    },
    list,
  );
  service.route(
    {
      ...common,
      path: `${path}/{id}`,
      summary: "A sign-in",
      request: {
        query: z.object({ company_id: z.string().optional() }),
        params: z.object({ id: z.string() }),
      },
      responses: { 200: jsonResponse(loginEventSchema, "The sign-in"), ...refusals },
    },
    show,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const wish = readLate(() => ({ page: readLogPage(c.req.query()), filter: parse(loginFilter, c.req.query()) }));
  const { results } = await admit<ListResults<EventRow>>(services, c.req.raw, "owner", {
    reads: (companyId) => (wish instanceof Problem ? [] : loginEventReads(services, companyId, wish.filter, wish.page)),
  });
  if (wish instanceof Problem) throw wish;
  const { rows, count } = readListResults(results);
  return c.json(presentLogPage(wish.page, count, rows, presentLoginEvent));
}

async function show(c: IdentityContext): Promise<Response> {
  return c.json(presentLoginEvent(await requireLoginEvent(c.get("services"), c.req.raw, c.req.param("id"))));
}
