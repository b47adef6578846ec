import * as z from "zod";
import { sessionSchema } from "../../../../schemas/identity/sign-in/sessions";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { pageQuery, pageSchema } from "../../../../schemas/page";
import { uuidPath } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../../kit/http/paging/page";
import type { IdentityService } from "../../http";
import { presentSession } from "./own-session.present";
import { countSessions, findSessionOfUser, listSessions } from "./own-session.store";
import { revokeSession } from "./session.store";

const TAGS = ["Session"];
const position = lazySchema(() => z.tuple([z.int(), z.string()]));

/** Mounts the caller's own sessions in the token's company. */
export function mountSessions({ call }: IdentityService): void {
  call(
    {
      method: "get",
      path: "/api/v1/sessions",
      summary: "The caller's live sessions in this company, newest first",
      tags: TAGS,
      role: "self",
      query: pageQuery,
      input: ({ query }) => readPage(query, position, byNumber),
      reads: ({ userId, companyId, input: { after, limit, offset }, services }) => {
        const callerScope = { userId, companyId, now: services.clock.now() };
        const [time, before] = after ?? [Number.MAX_SAFE_INTEGER, ""];
        return {
          counted: after === null ? countSessions(callerScope) : null,
          page: listSessions({ ...callerScope, time, before, limit: limit + 1, offset }),
        };
      },
      answers: { 200: jsonResponse(pageSchema(sessionSchema), "One page of sessions") },
    },
    ({ c, caller: { credential }, input, results: { counted, page } }) => {
      const current = credential.kind === "session" ? credential.sid : null;
      const sessionPage = splitPage(page.rows, input.limit, (row) => [row.created_at, row.id]);
      const count = counted?.first?.total ?? 0;
      return c.json(presentPage(input, { ...sessionPage, count }, (row) => presentSession(row, current)));
    },
  );
  call(
    {
      method: "delete",
      path: "/api/v1/sessions/{id}",
      summary: "End one of the caller's sessions, at once",
      tags: TAGS,
      role: "self",
      params: uuidPath,
      input: ({ params: { id = "" } }) => id,
      reads: ({ userId, companyId, input: sid }) => ({ session: findSessionOfUser({ sid, userId, companyId }) }),
      row: ({ results }) => results.session.first,
      answers: { 204: { description: "Ended, also when it had ended before" } },
    },
    async ({ c, services: { db, clock }, caller, row }) => {
      const now = clock.now();
      await db.run(revokeSession({ sid: row.id, userId: caller.user.id, now, reason: "ended_by_user" }));
      return c.body(null, 204);
    },
  );
}
