import * as z from "zod";
import {
  issuedPatSchema,
  patChangeSchema,
  patCreateSchema,
  patPageSchema,
  patReissueSchema,
  patSchema,
} from "../../../../schemas/identity/people/personal-access-tokens";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { pageQuery } from "../../../../schemas/page";
import { companyQuery, idText, uuidPath } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { invalid } from "../../../kit/problem";
import { callsOf, type IdentityService } from "../../http";
import { Problem } from "../../problem";
import {
  changePatOf,
  createPat,
  isHolder,
  limitPatWrites,
  reissuePatOf,
  requireFlagPermission,
  requirePat,
  revokePatOf,
} from "./personal-access-token";
import { presentPat } from "./personal-access-token.present";
import { countPats, findPat, listPats } from "./personal-access-token.store";

const PATH = "/api/v1/personal-access-tokens";
const common = { tags: ["Personal access tokens"], role: "member" } as const;
const position = lazySchema(() => z.tuple([z.int(), z.string()]));
const tokenResponse = { 200: jsonResponse(patSchema, "The token") };
const writeRefusals = ["forbidden", "rate_limited"] as const;

/** The common part of operations on one token, which is read by the id in the path. */
const tokenOperation = {
  ...common,
  query: companyQuery,
  params: uuidPath,
  input: ({ params }: { params: Record<string, string> }) => params.id ?? "",
  reads: ({ input: id }: { input: string }) => ({ pat: findPat({ id }) }),
} as const;

/** Mounts the endpoints of the personal access tokens of a company's members. */
export function mountPersonalAccessTokens(service: IdentityService): void {
  const call = callsOf(service, limitPatWrites);
  call(
    {
      ...common,
      method: "get",
      path: PATH,
      summary: "List the caller's tokens, newest first; staff and owners may name a user",
      query: lazySchema(() =>
        z.object({ ...companyQuery.unwrap().shape, ...pageQuery.unwrap().shape, user_id: idText().optional() }),
      ),
      permit: ({ request, caller, scope }) => {
        // Only staff and the owners of the company may list the tokens of other users.
        const user = new URL(request.url).searchParams.get("user_id");
        const isHolder = user === null || user === String(caller.user.id);
        const isOwner = caller.isOwner && caller.companyId === scope.id;
        if (!isHolder && !isOwner && !caller.isStaff) throw new Problem("forbidden");
      },
      input: ({ query }) => ({ page: readPage(query, position, byNumber), holderId: readHolder(query.user_id) }),
      reads: ({ companyId, userId: callerId, input: { page, holderId } }) => {
        const userId = holderId ?? callerId;
        const [time, before] = page.after ?? [Number.MAX_SAFE_INTEGER, ""];
        return {
          total: page.after === null ? countPats({ companyId, userId }) : null,
          pats: listPats({ companyId, userId, time, before, limit: page.limit + 1, offset: page.offset }),
        };
      },
      responses: { 200: jsonResponse(patPageSchema, "A page, including revoked and expired tokens") },
      errorCodes: ["forbidden"],
    },
    ({ c, input: { page }, results: { total, pats } }) => {
      const patPage = splitPage(pats.rows, page.limit, (row) => [row.created_at, row.id]);
      return c.json(presentPage(page, { ...patPage, count: total?.first?.count ?? 0 }, presentPat));
    },
  );
  call(
    {
      ...common,
      method: "post",
      path: PATH,
      summary: "Create a token",
      query: companyQuery,
      permit: ({ caller, scope }) => {
        // A token belongs to the company of the credential that created it. Staff access other companies by sending
        // `company_id` in each request.
        if (scope.id !== caller.companyId) throw new Problem("company_mismatch");
      },
      body: {
        ...bodyOf(patCreateSchema),
        read: (raw, { caller }) => {
          requireFlagPermission(caller, raw.access_global_metrics, false);
          return parse(patCreateSchema, raw);
        },
      },
      responses: { 201: jsonResponse(issuedPatSchema, "The token with its JWT, which is only shown once") },
      errorCodes: [...writeRefusals, "limit_reached"],
    },
    async ({ c, services, request, caller, body }) => {
      const { row, accessToken } = await createPat(services, { request, caller }, body);
      return c.json({ ...presentPat(row), access_token: accessToken }, 201);
    },
  );
  call(
    {
      ...tokenOperation,
      method: "get",
      path: `${PATH}/{id}`,
      summary: "Get a token",
      row: ({ caller, scope, results }) => requirePat(caller, scope.id, results.pat.first),
      responses: tokenResponse,
      errorCodes: ["forbidden"],
    },
    ({ c, row }) => c.json(presentPat(row)),
  );
  call(
    {
      ...tokenOperation,
      method: "patch",
      path: `${PATH}/{id}`,
      summary: "Rename a token; staff may also change its access to global metrics",
      row: ({ caller, scope, results }) => {
        const row = requirePat(caller, scope.id, results.pat.first);
        if (row && !isHolder(caller, row) && !caller.isStaff) throw new Problem("forbidden");
        return row;
      },
      body: {
        ...bodyOf(patChangeSchema),
        read: (raw, { caller, row }) => {
          requireFlagPermission(caller, raw.access_global_metrics, row.access_global_metrics);
          return parse(patChangeSchema, raw);
        },
      },
      responses: tokenResponse,
      errorCodes: writeRefusals,
    },
    async ({ c, services, request, caller, row, body }) =>
      c.json(presentPat(await changePatOf(services, { request, caller, row }, body))),
  );
  const revoke = {
    ...tokenOperation,
    summary: "Revoke a token and the tokens that were created with it",
    errorCodes: writeRefusals,
  };
  call(
    {
      ...revoke,
      method: "delete",
      path: `${PATH}/{id}`,
      row: ({ caller, scope, results }) => requirePat(caller, scope.id, results.pat.first),
      responses: { 204: { description: "Revoked; also when it was revoked before" } },
    },
    async ({ c, services, request, caller, row }) => {
      await revokePatOf(services, { request, caller, row });
      return c.body(null, 204);
    },
  );
  call(
    {
      ...revoke,
      method: "post",
      path: `${PATH}/{id}/revoke`,
      row: ({ caller, scope, results }) => requirePat(caller, scope.id, results.pat.first),
      responses: tokenResponse,
    },
    async ({ c, services, request, caller, row }) =>
      c.json(presentPat(await revokePatOf(services, { request, caller, row }))),
  );
  call(
    {
      ...tokenOperation,
      method: "post",
      path: `${PATH}/{id}/reissue`,
      summary: "Reissue a token; its previous JWT is revoked immediately",
      row: ({ caller, scope, results }) => {
        const row = requirePat(caller, scope.id, results.pat.first);
        if (row && !isHolder(caller, row)) throw new Problem("forbidden");
        return row;
      },
      body: bodyOf(patReissueSchema, { optional: true }),
      responses: { 200: jsonResponse(issuedPatSchema, "The token with its new JWT, which is only shown once") },
      errorCodes: [...writeRefusals, "conflict", "limit_reached"],
    },
    async ({ c, services, request, caller, row, body }) => {
      const issued = await reissuePatOf(services, { request, caller, row }, body.expires_in);
      return c.json({ ...presentPat(issued.row), access_token: issued.accessToken });
    },
  );
}

/** Returns the id of the user whose tokens are listed, or null for the caller's own. Throws 400 for a malformed id. */
function readHolder(user: string | undefined): number | null {
  if (user === undefined) return null;
  if (!/^[1-9]\d{0,14}$/.test(user)) throw invalid({ user_id: ["invalid"] });
  return Number(user);
}
