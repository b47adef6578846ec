import * as z from "zod";
import { identityErrors } from "../../../schemas/identity/errors";
import { pageQuery, pageSchema } from "../../../schemas/identity/list";
import { sessionSchema } from "../../../schemas/identity/sessions";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLate } from "../../kit/http/request/late-query";
import { readUuid } from "../../kit/http/request/path-id";
import { Problem } from "../../kit/problem";
import { requireCallerWith } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { presentSession } from "./own-session.present";
import { countSessions, findOwnSession, listSessions, revokeSession, type SessionListRow } from "./session.store";

const tags = ["Session"];
const security = [{ bearerAuth: [] }];
const readErrors = [
  "validation_failed",
  "unauthorized",
  "token_invalid",
  "access_pending",
  "access_denied",
  "service_unavailable",
];

/** Mounts the caller's own sessions in the token's company (identity details 4.4). */
export function mountSessions(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/sessions",
      summary: "The caller's live sessions in this company, newest first",
      tags,
      security,
      request: { query: pageQuery },
      responses: {
        200: jsonResponse(pageSchema(sessionSchema), "One page of sessions"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    list,
  );
  service.route(
    {
      method: "delete",
      path: "/api/v1/sessions/{id}",
      summary: "End one of the caller's sessions, at once",
      tags,
      security,
      request: { params: z.object({ id: z.string() }) },
      responses: {
        204: { description: "Ended, also when it had ended before" },
        ...problemResponses(identityErrors, [...readErrors.slice(1), "pat_read_only", "not_found"]),
      },
    },
    end,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services;
  const page = readLate(() => readNumberPage(c.req.query()));
  const now = clock.now();
  const reads = (companyId: number, userId: number) =>
    page instanceof Problem
      ? []
      : [
          countSessions.bind(db, userId, companyId, now),
          listSessions.bind(db, userId, companyId, now, page.pageSize, page.offset),
        ];
  type Results = [{ total: number }, SessionListRow];
  const { caller, results: found } = await requireCallerWith<Results>(services, c.req.raw, reads);
  if (page instanceof Problem) throw page;
  const { credential } = caller;
  const [total, rows] = found;
  const current = credential.kind === "session" ? credential.sid : null;
  const results = rows.results.map((row) => presentSession(row, current));
  return c.json(presentNumberPage(total.results[0]?.total ?? 0, page, results));
}

async function end(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services;
  const id = c.req.param("id") ?? "";
  const { caller, results } = await requireCallerWith<[{ found: number }]>(services, c.req.raw, (companyId, userId) => [
    findOwnSession.bind(db, id, userId, companyId),
  ]);
  readUuid(id);
  if (results[0].results.length === 0) throw new Problem("not_found");
  await db.run(revokeSession.bind(db, id, caller.person.id, clock.now(), "ended_by_user"));
  return c.body(null, 204);
}
