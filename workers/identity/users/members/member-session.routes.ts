import * as z from "zod";
import { sessionSchema } from "../../../../schemas/identity/sign-in/sessions";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyPageQuery, pageSchema } from "../../../../schemas/page";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import type { Bound } from "../../../kit/db/statement";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { readRowId } from "../../../kit/http/request/path-id";
import type { IdentityService } from "../../http";
import { changeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { endSession, endSessionsOfMember } from "../../sign-in/sessions/session";
import {
  presentSessionList,
  readSessionPage,
  selectSessionList,
  selectSessionOfUser,
} from "../../sign-in/sessions/session-list";
import { type MemberTarget, requireMember } from "./member";
import { findMember } from "./member.store";

const PATH = "/api/v1/users/{id}/sessions";
const common = { tags: ["Users"], role: "owner" } as const;
const listQuery = lazySchema(() => z.object(companyPageQuery()));
const sessionPath = lazySchema(() => z.object({ id: z.int().min(1), session_id: z.uuid() }));
const ended = { 204: { description: "Ended, also when they had ended before" } };

/**
 * Runs `ending`, which ends sessions of a member, and inserts the audit entry in the same batch. Inserts no entry when no
 * session was live.
 */
async function endWithEntry(
  services: IdentityServices,
  { request, caller, company }: Omit<MemberTarget, "member">,
  ending: Bound,
  data: { member_id: number; session_id?: string },
): Promise<void> {
  const change = { caller, companyId: company.id, type: "identity.member.sessions_ended", data } as const;
  await services.db.batch({ ending, entry: await changeEntry(services, request, change) });
}

/** Mounts the endpoints of a member's sessions in the company, for staff and owners. */
export function mountMemberSessions({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "The live sessions of a member in the company, newest first",
      query: listQuery,
      params: rowIdPath,
      input: ({ params, query }) => ({ userId: readRowId(params.id), page: readSessionPage(query) }),
      reads: ({ companyId, input: { userId, page }, services }) => ({
        member: findMember({ companyId, userId }),
        ...selectSessionList({ userId, companyId, now: services.clock.now() }, page),
      }),
      row: ({ caller, results }) => requireMember(caller, results.member.first),
      responses: { 200: jsonResponse(pageSchema(sessionSchema), "One page of sessions") },
    },
    ({ c, caller, input: { page }, results }) => c.json(presentSessionList(page, results, caller)),
  );
  call(
    {
      ...common,
      method: "delete",
      path: PATH,
      summary: "End all sessions of a member in the company, at once",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => ({ member: findMember({ companyId, userId }) }),
      row: ({ caller, results }) => requireMember(caller, results.member.first),
      responses: ended,
    },
    async ({ c, services, request, caller, scope: company, row: member }) => {
      const ending = endSessionsOfMember(services, { companyId: company.id, userId: member.id });
      await endWithEntry(services, { request, caller, company }, ending, { member_id: member.id });
      return c.body(null, 204);
    },
  );
  call(
    {
      ...common,
      method: "delete",
      path: `${PATH}/{session_id}`,
      summary: "End one session of a member in the company, at once",
      query: companyQuery,
      params: sessionPath,
      input: ({ params }) => ({ userId: readRowId(params.id), sid: params.session_id ?? "" }),
      reads: ({ companyId, input: { userId, sid } }) => ({
        member: findMember({ companyId, userId }),
        session: selectSessionOfUser({ sid, userId, companyId }),
      }),
      row: ({ caller, results }) => (requireMember(caller, results.member.first) ? results.session.first : null),
      responses: ended,
    },
    async ({ c, services, request, caller, scope: company, input: { userId }, row: { id: sid } }) => {
      const ending = endSession(services, { sid, userId, reason: "ended_by_admin" });
      await endWithEntry(services, { request, caller, company }, ending, { member_id: userId, session_id: sid });
      return c.body(null, 204);
    },
  );
}
