import * as z from "zod";
import { identityErrors } from "../../../schemas/identity/errors";
import { pageQuery } from "../../../schemas/identity/list";
import {
  issuedPatSchema,
  patChangeSchema,
  patCreateSchema,
  patPageSchema,
  patReissueSchema,
  patSchema,
} from "../../../schemas/identity/personal-access-tokens";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLateBody } from "../../kit/http/request/body";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { invalid, Problem } from "../../kit/problem";
import { admit, admitWithBody, type Caller } from "../caller/caller";
import type { PatRow } from "../caller/credential.store";
import { limitPatWrites } from "../caller/limits";
import type { IdentityContext, IdentityService } from "../http";
import {
  admitToPat,
  changeRow,
  createPat,
  isHolder,
  reissueOwnPat,
  requireFlagRight,
  revokeRow,
} from "./personal-access-token";
import { presentPat } from "./personal-access-token.present";
import { countPats, listPats } from "./personal-access-token.store";

const security = [{ bearerAuth: [] }];
const tags = ["Personal access tokens"];
const scopeQuery = z.object({ company_id: z.string().optional() });
const params = z.object({ id: z.uuid() });
const credentialErrors = ["unauthorized", "token_invalid", "access_pending", "access_denied", "service_unavailable"];
const readErrors = [...credentialErrors, "validation_failed", "company_mismatch", "forbidden", "not_found"];
const writeErrors = [...readErrors, "pat_read_only", "rate_limited"];
const bodyErrors = [...writeErrors, "payload_too_large", "unsupported_media_type"];

/** Mounts the personal access tokens of a company's members (identity details 9). */
export function mountPersonalAccessTokens({ route }: IdentityService): void {
  const path = "/api/v1/personal-access-tokens";
  const shown = jsonResponse(patSchema, "The token");
  route(
    {
      method: "get",
      path,
      tags,
      security,
      summary: "Tokens of the caller, newest first; staff and owners may name a user",
      request: { query: z.object({ ...scopeQuery.shape, ...pageQuery.shape, user_id: z.string().optional() }) },
      responses: {
        200: jsonResponse(patPageSchema, "A page, revoked and expired ones included"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    list,
  );
  route(
    {
      method: "post",
      path,
      tags,
      security,
      summary: "Create a token",
      request: { query: scopeQuery, body: jsonBody(patCreateSchema) },
      responses: {
        201: jsonResponse(issuedPatSchema, "The token with its JWT, which is shown this once"),
        ...problemResponses(identityErrors, [...bodyErrors, "limit_reached"]),
      },
    },
    create,
  );
  route(
    {
      method: "get",
      path: `${path}/{id}`,
      tags,
      security,
      summary: "A token",
      request: { params, query: scopeQuery },
      responses: { 200: shown, ...problemResponses(identityErrors, readErrors) },
    },
    show,
  );
  route(
    {
      method: "patch",
      path: `${path}/{id}`,
      tags,
      security,
      summary: "Rename a token; staff may also change its access to global metrics",
      request: { params, query: scopeQuery, body: jsonBody(patChangeSchema) },
      responses: { 200: shown, ...problemResponses(identityErrors, bodyErrors) },
    },
    change,
  );
  route(
    {
      method: "delete",
      path: `${path}/{id}`,
      tags,
      security,
      summary: "Revoke a token and those made with it",
      request: { params, query: scopeQuery },
      responses: {
        204: { description: "Revoked, also when it was before" },
        ...problemResponses(identityErrors, writeErrors),
      },
    },
    async (c) => {
      await revokeNamed(c);
      return c.body(null, 204);
    },
  );
  route(
    {
      method: "post",
      path: `${path}/{id}/revoke`,
      tags,
      security,
      summary: "Revoke a token and those made with it",
      request: { params, query: scopeQuery },
      responses: { 200: shown, ...problemResponses(identityErrors, writeErrors) },
    },
    async (c) => c.json(presentPat(await revokeNamed(c))),
  );
  route(
    {
      method: "post",
      path: `${path}/{id}/reissue`,
      tags,
      security,
      summary: "Issue a token again; its older JWT ends at once",
      request: { params, query: scopeQuery, body: { ...jsonBody(patReissueSchema), required: false } },
      responses: {
        200: jsonResponse(issuedPatSchema, "The token with its new JWT, which is shown this once"),
        ...problemResponses(identityErrors, [...bodyErrors, "conflict", "limit_reached"]),
      },
    },
    reissue,
  );
}

/** One round trip. The fields of the query are read before the credential is known, and judged behind it. */
async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const query = readLate(() => readListQuery(c));
  const { caller, company, results } = await admit<[{ count: number }, PatRow]>(services, c.req.raw, "member", {
    reads: (companyId, userId) =>
      query instanceof Problem
        ? []
        : [
            countPats.bind(db, companyId, query.userId ?? userId),
            listPats.bind(db, companyId, query.userId ?? userId, query.page.pageSize, query.page.offset),
          ],
  });
  requireListRight(caller, company.id, c.req.query("user_id"));
  if (query instanceof Problem) throw query;
  const [total, found] = results;
  return c.json(presentNumberPage(total.results[0]?.count ?? 0, query.page, found.results.map(presentPat)));
}

function readListQuery(c: IdentityContext) {
  const page = readNumberPage(c.req.query());
  const user = c.req.query("user_id");
  if (user === undefined) return { page, userId: null };
  if (!/^[1-9]\d{0,14}$/.test(user)) throw invalid({ user_id: ["invalid"] });
  return { page, userId: Number(user) };
}

/** Staff and the owners of the company see the tokens of others. */
function requireListRight(caller: Caller, companyId: number, user: string | undefined): void {
  const isOwn = user === undefined || user === String(caller.person.id);
  const isOwner = caller.isOwner && caller.companyId === companyId;
  if (!isOwn && !isOwner && !caller.isStaff) throw new Problem("forbidden");
}

async function create(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { caller, company, take } = await admitWithBody(services, c.req.raw, "member");
  // A token works in the company of the credential that made it; staff reach others by naming them in their calls.
  if (company.id !== caller.companyId) throw new Problem("company_mismatch");
  await limitPatWrites(services, caller.person.id);
  const body = take();
  requireFlagRight(caller, body.access_global_metrics, false);
  const { row, accessToken } = await createPat(services, c.req.raw, caller, parse(patCreateSchema, body));
  return c.json({ ...presentPat(row), access_token: accessToken }, 201);
}

async function show(c: IdentityContext): Promise<Response> {
  const { row } = await admitToPat(c.get("services"), c.req.raw, c.req.param("id") ?? "");
  return c.json(presentPat(row));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const late = await readLateBody(c.req.raw);
  const { caller, row } = await admitToPat(services, c.req.raw, c.req.param("id") ?? "", late);
  if (!isHolder(caller, row) && !caller.isStaff) throw new Problem("forbidden");
  await limitPatWrites(services, caller.person.id);
  const body = late.take();
  requireFlagRight(caller, body.access_global_metrics, row.access_global_metrics === 1);
  return c.json(presentPat(await changeRow(services, c.req.raw, caller, row, parse(patChangeSchema, body))));
}

async function revokeNamed(c: IdentityContext): Promise<PatRow> {
  const services = c.get("services");
  const { caller, row } = await admitToPat(services, c.req.raw, c.req.param("id") ?? "");
  await limitPatWrites(services, caller.person.id);
  return revokeRow(services, c.req.raw, caller, row);
}

async function reissue(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const late = await readLateBody(c.req.raw, { optional: true });
  const { caller, row } = await admitToPat(services, c.req.raw, c.req.param("id") ?? "", late);
  if (!isHolder(caller, row)) throw new Problem("forbidden");
  await limitPatWrites(services, caller.person.id);
  const { expires_in } = parse(patReissueSchema, late.take());
  const issued = await reissueOwnPat(services, c.req.raw, caller, row, expires_in);
  return c.json({ ...presentPat(issued.row), access_token: issued.accessToken });
}
