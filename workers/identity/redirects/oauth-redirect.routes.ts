import * as z from "zod";
import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { pageQuery } from "../../../schemas/identity/list";
import {
  oauthRedirectBody,
  oauthRedirectChange,
  oauthRedirectPage,
  oauthRedirectSchema,
} from "../../../schemas/identity/oauth-redirect";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import { admit, admitWithBody } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { addRedirect, editRedirect, removeRedirect } from "./oauth-redirect";
import { presentOauthRedirect } from "./oauth-redirect.present";
import { countRedirects, findRedirect, listRedirects, type OauthRedirectRow } from "./oauth-redirect.store";

const path = "/api/v1/oauth-redirects";
const common = { tags: ["OAuth redirects"], security: [{ bearerAuth: [] }] };
const idParam = z.object({ id: z.string() });
const readErrors = [
  ...["validation_failed", "unauthorized", "token_invalid", "access_pending", "access_denied"],
  ...["company_mismatch", "forbidden", "not_found", "service_unavailable"],
];
const writeErrors = [...readErrors, "pat_read_only"];
const bodyErrors = [...writeErrors, "payload_too_large", "unsupported_media_type", "conflict"];

/** The redirect allowlist of a company, by staff and owners (identity details 7.5). */
export function mountOauthRedirects(service: IdentityService): void {
  const row = jsonResponse(oauthRedirectSchema, "The row");
  service.route(
    {
      method: "get",
      path,
      ...common,
      summary: "The redirect allowlist, oldest first",
      request: { query: companyQuery.extend(pageQuery.shape) },
      responses: { 200: jsonResponse(oauthRedirectPage, "A page"), ...problemResponses(identityErrors, readErrors) },
    },
    list,
  );
  service.route(
    {
      method: "post",
      path,
      ...common,
      summary: "Add an origin to the redirect allowlist",
      request: { query: companyQuery, body: jsonBody(oauthRedirectBody) },
      responses: { 201: row, ...problemResponses(identityErrors, [...bodyErrors, "limit_reached"]) },
    },
    create,
  );
  service.route(
    {
      method: "get",
      path: `${path}/{id}`,
      ...common,
      summary: "A row of the redirect allowlist",
      request: { query: companyQuery, params: idParam },
      responses: { 200: row, ...problemResponses(identityErrors, readErrors) },
    },
    show,
  );
  service.route(
    {
      method: "patch",
      path: `${path}/{id}`,
      ...common,
      summary: "Change a row of the redirect allowlist",
      request: { query: companyQuery, params: idParam, body: jsonBody(oauthRedirectChange) },
      responses: { 200: row, ...problemResponses(identityErrors, bodyErrors) },
    },
    change,
  );
  service.route(
    {
      method: "delete",
      path: `${path}/{id}`,
      ...common,
      summary: "Take an origin off the redirect allowlist",
      request: { query: companyQuery, params: idParam },
      responses: { 204: { description: "It is gone" }, ...problemResponses(identityErrors, writeErrors) },
    },
    remove,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const page = readLate(() => readNumberPage(c.req.query()));
  const reads = (companyId: number) =>
    page instanceof Problem
      ? []
      : [countRedirects.bind(db, companyId), listRedirects.bind(db, companyId, page.pageSize, page.offset)];
  const { results } = await admit<[{ count: number }, OauthRedirectRow]>(services, c.req.raw, "owner", { reads });
  if (page instanceof Problem) throw page;
  const [total, rows] = results;
  return c.json(presentNumberPage(total.results[0]?.count ?? 0, page, rows.results.map(presentOauthRedirect)));
}

async function create(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { caller, company, take } = await admitWithBody(services, c.req.raw, "owner");
  const change = { services, request: c.req.raw, caller, companyId: company.id };
  return c.json(presentOauthRedirect(await addRedirect(change, parse(oauthRedirectBody, take()))), 201);
}

async function show(c: IdentityContext): Promise<Response> {
  const { results } = await admit<[OauthRedirectRow]>(c.get("services"), c.req.raw, "owner", { reads: readRow(c) });
  return c.json(presentOauthRedirect(requireRow(results)));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const admission = await admitWithBody<[OauthRedirectRow]>(services, c.req.raw, "owner", readRow(c));
  const { caller, company, results, take } = admission;
  const row = requireRow(results);
  const input = parse(oauthRedirectChange, take());
  const changed = await editRedirect({ services, request: c.req.raw, caller, companyId: company.id }, row, input);
  return c.json(presentOauthRedirect(changed));
}

async function remove(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const admission = await admit<[OauthRedirectRow]>(services, c.req.raw, "owner", { reads: readRow(c) });
  const { caller, company, results } = admission;
  await removeRedirect({ services, request: c.req.raw, caller, companyId: company.id }, requireRow(results));
  return c.body(null, 204);
}

/** The read of the row that the path names; a malformed id finds none. */
function readRow(c: IdentityContext): (companyId: number) => D1PreparedStatement[] {
  const { db } = c.get("services");
  return (companyId) => [findRedirect.bind(db, companyId, c.req.param("id") ?? "")];
}

function requireRow([found]: [D1Result<OauthRedirectRow>]): OauthRedirectRow {
  const row = found.results[0];
  if (!row) throw new Problem("not_found");
  return row;
}
