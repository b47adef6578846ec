import * as z from "zod";
import {
  memberChangeBody,
  memberFilter,
  memberPageSchema,
  memberQuery,
  memberSchema,
  searchSchema,
} from "../../../../schemas/identity/people/users";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage } from "../../../kit/http/paging/page";
import { splitScan } from "../../../kit/http/paging/scan";
import { parse } from "../../../kit/http/request/parse";
import { readRowId } from "../../../kit/http/request/path-id";
import { selectOldestOrigin } from "../../company/redirects/oauth-redirect";
import type { IdentityService } from "../../http";
import { refuseAdminFields } from "../profiles/profile";
import { changeMember, removeMember, requireMember } from "./member";
import { presentMember } from "./member.present";
import { findMember } from "./member.store";
import { HIGHEST_USER_ID, selectJoinRequests, selectMemberList } from "./member-list";

const PATH = "/api/v1/users";
const common = { tags: ["Users"], role: "owner" } as const;
const position = lazySchema(() => z.tuple([z.int().min(1).max(HIGHEST_USER_ID)]));
const row = { 200: jsonResponse(memberSchema, "The member as the company sees them") };
const writeRefusals = ["self_not_allowed", "last_company_owner"] as const;

/** Mounts the endpoints of a company's members, for staff and owners. */
export function mountUsers({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "List the members of a company, newest first",
      query: memberQuery,
      input: ({ query }) => ({
        search: parse(searchSchema, query).q ?? "",
        isPending: parse(memberFilter, query).access_state !== undefined,
        page: readPage(query, position, byNumber),
      }),
      reads: ({ companyId, input: { search, isPending, page } }) =>
        isPending ? selectJoinRequests(companyId, search, page) : selectMemberList(companyId, search, page),
      responses: { 200: jsonResponse(memberPageSchema, "A page") },
    },
    ({ c, input: { page }, results: { members, counted } }) => {
      const memberPage = splitScan(members.rows, page, (row) => [row.id]);
      const count = counted?.first?.members ?? memberPage.count;
      return c.json(presentPage(page, { ...memberPage, count }, presentMember));
    },
  );
  call(
    {
      ...common,
      method: "get",
      path: `${PATH}/{id}`,
      summary: "Get a member",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => ({ member: findMember({ companyId, userId }) }),
      row: ({ results }) => results.member.first,
      responses: row,
    },
    ({ c, row: member }) => c.json(presentMember(member)),
  );
  call(
    {
      ...common,
      method: "put",
      path: `${PATH}/{id}`,
      summary: "Change names, metadata or access of a member",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => ({
        member: findMember({ companyId, userId }),
        origin: selectOldestOrigin(companyId),
      }),
      row: ({ caller, results }) => requireMember(caller, results.member.first),
      body: {
        ...bodyOf(memberChangeBody),
        read: (raw) => {
          refuseAdminFields(raw);
          return parse(memberChangeBody, raw);
        },
      },
      responses: row,
      errorCodes: [...writeRefusals, "admin_only_field"],
    },
    async ({ c, services, request, caller, scope: company, row: member, results, body }) => {
      const origin = results.origin.first?.base_url ?? null;
      return c.json(presentMember(await changeMember(services, { request, caller, company, member, origin }, body)));
    },
  );
  call(
    {
      ...common,
      method: "delete",
      path: `${PATH}/{id}`,
      summary: "Remove a member; deletes the account with the last membership",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => ({ member: findMember({ companyId, userId }) }),
      row: ({ caller, results }) => requireMember(caller, results.member.first),
      responses: { 204: { description: "Removed" } },
      errorCodes: writeRefusals,
    },
    async ({ c, services, request, caller, scope: company, row: member }) => {
      await removeMember(services, { request, caller, company, member });
      return c.body(null, 204);
    },
  );
}
