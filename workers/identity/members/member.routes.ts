import * as z from "zod";
import { identityErrors } from "../../../schemas/identity/errors";
import {
  memberChangeBody,
  memberPageSchema,
  memberQuery,
  memberSchema,
  searchSchema,
} from "../../../schemas/identity/users";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { rowIdOf } from "../../kit/http/request/path-id";
import { Problem } from "../../kit/problem";
import { findOldestOrigin } from "../account/person.store";
import { refuseAdminFields } from "../account/profile";
import { admit, admitWithBody } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { attemptMail } from "../mail/mail";
import { changeMember, removeMember, requireMember } from "./member";
import { presentMember } from "./member.present";
import { findMember, type ListedMemberRow, listMembers, type MemberRow, searchMembers } from "./member.store";

const path = "/api/v1/users";
const common = { tags: ["Users"], security: [{ bearerAuth: [] }] };
const companyQuery = z.object({ company_id: z.string().optional() });
const idParam = z.object({ id: z.string() });
const readErrors = [
  ...["validation_failed", "unauthorized", "token_invalid", "access_pending", "access_denied"],
  ...["company_mismatch", "forbidden", "not_found", "service_unavailable"],
];
const writeErrors = [...readErrors, "pat_read_only", "self_not_allowed", "last_company_owner"];

/** The members of a company, by staff and owners (identity details 7.1). */
export function mountUsers(service: IdentityService): void {
  const row = jsonResponse(memberSchema, "The member as the company sees them");
  service.route(
    {
      method: "get",
      path,
      ...common,
      summary: "The members of a company, newest id first",
      request: { query: memberQuery },
      responses: { 200: jsonResponse(memberPageSchema, "A page"), ...problemResponses(identityErrors, readErrors) },
    },
    list,
  );
  service.route(
    {
      method: "get",
      path: `${path}/{id}`,
      ...common,
      summary: "A member",
      request: { query: companyQuery, params: idParam },
      responses: { 200: row, ...problemResponses(identityErrors, readErrors) },
    },
    show,
  );
  service.route(
    {
      method: "put",
      path: `${path}/{id}`,
      ...common,
      summary: "Change names, metadata or access of a member",
      request: { query: companyQuery, params: idParam, body: jsonBody(memberChangeBody) },
      responses: {
        200: row,
        ...problemResponses(identityErrors, [
          ...writeErrors,
          "admin_only_field",
          "payload_too_large",
          "unsupported_media_type",
        ]),
      },
    },
    change,
  );
  service.route(
    {
      method: "delete",
      path: `${path}/{id}`,
      ...common,
      summary: "Remove a member; the account too, when it was the last membership",
      request: { query: companyQuery, params: idParam },
      responses: { 204: { description: "Removed" }, ...problemResponses(identityErrors, writeErrors) },
    },
    remove,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const input = readLate(() => ({ q: parse(searchSchema, c.req.query()).q, page: readNumberPage(c.req.query()) }));
  const reads = (companyId: number) => {
    if (input instanceof Problem) return [];
    const { q, page } = input;
    if (!q) return [listMembers.bind(db, companyId, page.pageSize, page.offset)];
    const id = /^[0-9]{1,15}$/.test(q) ? Number(q) : null;
    return [searchMembers.bind(db, companyId, page.pageSize, page.offset, q, id)];
  };
  const { results } = await admit<[ListedMemberRow]>(services, c.req.raw, "owner", { reads });
  if (input instanceof Problem) throw input;
  const rows = results[0].results;
  const members = rows.filter((row): row is ListedMemberRow & MemberRow => row.id !== null);
  return c.json(presentNumberPage(rows[0]?.total ?? 0, input.page, members.map(presentMember)));
}

async function show(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const id = rowIdOf(c.req.param("id"));
  const { results } = await admit<[MemberRow]>(services, c.req.raw, "owner", {
    reads: (companyId) => [findMember.bind(services.db, companyId, id)],
  });
  const member = results[0].results[0];
  if (!member) throw new Problem("not_found");
  return c.json(presentMember(member));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const id = rowIdOf(c.req.param("id"));
  const { caller, company, results, take } = await admitWithBody<[MemberRow, { base_url: string }]>(
    services,
    c.req.raw,
    "owner",
    (companyId) => [findMember.bind(db, companyId, id), findOldestOrigin.bind(db, companyId)],
  );
  const member = requireMember(caller, results[0].results[0]);
  const body = take();
  refuseAdminFields(body);
  const target = { request: c.req.raw, caller, company, member, origin: results[1].results[0]?.base_url ?? null };
  const ring = (mailId: string) => services.waitUntil(attemptMail(services, mailId));
  return c.json(presentMember(await changeMember(services, target, parse(memberChangeBody, body), ring)));
}

async function remove(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const id = rowIdOf(c.req.param("id"));
  const { caller, company, results } = await admit<[MemberRow]>(services, c.req.raw, "owner", {
    reads: (companyId) => [findMember.bind(services.db, companyId, id)],
  });
  const member = requireMember(caller, results[0].results[0]);
  await removeMember(services, { request: c.req.raw, caller, company, member });
  return c.body(null, 204);
}
