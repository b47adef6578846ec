import { sessionSchema } from "../../../../schemas/identity/sign-in/sessions";
import { pageQuery, pageSchema } from "../../../../schemas/page";
import { uuidPath } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { endSession } from "./session";
import { presentSessionList, readSessionPage, selectSessionList, selectSessionOfUser } from "./session-list";

const TAGS = ["Session"];

/** Mounts the endpoints of the caller's own sessions in the token's company. */
export function mountSessions({ call }: IdentityService): void {
  call(
    {
      method: "get",
      path: "/api/v1/sessions",
      summary: "List the caller's active sessions in this company, newest first",
      tags: TAGS,
      role: "self",
      query: pageQuery,
      input: ({ query }) => readSessionPage(query),
      reads: ({ userId, companyId, input: page, services }) =>
        selectSessionList({ userId, companyId, now: services.clock.now() }, page),
      responses: { 200: jsonResponse(pageSchema(sessionSchema), "One page of sessions") },
    },
    ({ c, caller, input: page, results }) => c.json(presentSessionList(page, results, caller)),
  );
  call(
    {
      method: "delete",
      path: "/api/v1/sessions/{id}",
      summary: "Revoke one of the caller's sessions immediately",
      tags: TAGS,
      role: "self",
      params: uuidPath,
      input: ({ params: { id = "" } }) => id,
      reads: ({ userId, companyId, input: sid }) => ({ session: selectSessionOfUser({ sid, userId, companyId }) }),
      row: ({ results }) => results.session.first,
      responses: { 204: { description: "Signed out; also when the session had ended before" } },
    },
    async ({ c, services, caller, row }) => {
      await services.db.run(endSession(services, { sid: row.id, userId: caller.user.id, reason: "ended_by_user" }));
      return c.body(null, 204);
    },
  );
}
