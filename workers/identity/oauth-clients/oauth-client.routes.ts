import * as z from "zod";
import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { pageQuery } from "../../../schemas/identity/list";
import {
  oauthCatalogSchema,
  oauthClientBody,
  oauthClientChange,
  oauthClientPage,
  oauthClientSchema,
} from "../../../schemas/identity/oauth-client";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import { admit, admitWithBody } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { presentCatalog, presentOauthClient } from "./oauth-client.present";
import { findClient, type OAuthClientRow } from "./oauth-client.store";
import { addClient, editClient, removeClient } from "./oauth-client-admin";
import { countClients, listClients } from "./oauth-client-admin.store";

const path = "/api/v1/oauth-clients";
const common = { tags: ["OAuth clients"], security: [{ bearerAuth: [] }] };
const idParam = z.object({ id: z.string() });
const readErrors = [
  ...["validation_failed", "unauthorized", "token_invalid", "access_pending", "access_denied"],
  ...["company_mismatch", "forbidden", "not_found", "service_unavailable"],
];
const writeErrors = [...readErrors, "pat_read_only"];
const bodyErrors = [...writeErrors, "payload_too_large", "unsupported_media_type"];

/** The OAuth clients of a company, by staff and owners (identity details 7.6). */
export function mountOauthClients(service: IdentityService): void {
  const row = jsonResponse(oauthClientSchema, "The client, without its secret");
  service.route(
    {
      method: "get",
      path,
      ...common,
      summary: "The OAuth clients of a company, by provider id",
      request: { query: companyQuery.extend(pageQuery.shape) },
      responses: { 200: jsonResponse(oauthClientPage, "A page"), ...problemResponses(identityErrors, readErrors) },
    },
    list,
  );
  service.route(
    {
      method: "post",
      path,
      ...common,
      summary: "Add an OAuth client; the issuer of a generic one is looked up",
      request: { query: companyQuery, body: jsonBody(oauthClientBody) },
      responses: {
        201: row,
        ...problemResponses(identityErrors, [...bodyErrors, "oauth_client_duplicate_provider", "limit_reached"]),
      },
    },
    create,
  );
  service.route(
    {
      method: "get",
      path: `${path}/{id}`,
      ...common,
      summary: "An OAuth client",
      request: { query: companyQuery, params: idParam },
      responses: { 200: row, ...problemResponses(identityErrors, readErrors) },
    },
    show,
  );
  for (const method of ["put", "patch"] as const) {
    service.route(
      {
        method,
        path: `${path}/{id}`,
        ...common,
        summary: "Change an OAuth client; what is left out stays",
        request: { query: companyQuery, params: idParam, body: jsonBody(oauthClientChange) },
        responses: { 200: row, ...problemResponses(identityErrors, bodyErrors) },
      },
      change,
    );
  }
  service.route(
    {
      method: "delete",
      path: `${path}/{id}`,
      ...common,
      summary: "Take an OAuth client and its secret away",
      request: { query: companyQuery, params: idParam },
      responses: { 204: { description: "It is gone" }, ...problemResponses(identityErrors, writeErrors) },
    },
    remove,
  );
  service.route(
    {
      method: "get",
      path: "/api/v1/oauth-provider-catalog",
      ...common,
      summary: "The kinds of provider, their fields, and the callback to register with them",
      request: { query: companyQuery },
      responses: {
        200: jsonResponse(oauthCatalogSchema, "The catalog"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    showCatalog,
  );
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const page = readLate(() => readNumberPage(c.req.query()));
  const reads = (companyId: number) =>
    page instanceof Problem
      ? []
      : [countClients.bind(db, companyId), listClients.bind(db, companyId, page.pageSize, page.offset)];
  const { results } = await admit<[{ count: number }, OAuthClientRow]>(services, c.req.raw, "owner", { reads });
  if (page instanceof Problem) throw page;
  const [total, rows] = results;
  return c.json(presentNumberPage(total.results[0]?.count ?? 0, page, rows.results.map(presentOauthClient)));
}

async function create(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { caller, company, take } = await admitWithBody(services, c.req.raw, "owner");
  const change = { services, request: c.req.raw, caller, companyId: company.id };
  return c.json(presentOauthClient(await addClient(change, parse(oauthClientBody, take()))), 201);
}

async function show(c: IdentityContext): Promise<Response> {
  const { results } = await admit<[OAuthClientRow]>(c.get("services"), c.req.raw, "owner", { reads: readRow(c) });
  return c.json(presentOauthClient(requireRow(results)));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const admission = await admitWithBody<[OAuthClientRow]>(services, c.req.raw, "owner", readRow(c));
  const { caller, company, results, take } = admission;
  const row = requireRow(results);
  const input = parse(oauthClientChange, take());
  const changed = await editClient({ services, request: c.req.raw, caller, companyId: company.id }, row, input);
  return c.json(presentOauthClient(changed));
}

async function remove(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const admission = await admit<[OAuthClientRow]>(services, c.req.raw, "owner", { reads: readRow(c) });
  const { caller, company, results } = admission;
  await removeClient({ services, request: c.req.raw, caller, companyId: company.id }, requireRow(results));
  return c.body(null, 204);
}

async function showCatalog(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await admit(services, c.req.raw, "owner");
  return c.json(presentCatalog(services));
}

/** The read of the client that the path names; a malformed id finds none. */
function readRow(c: IdentityContext): (companyId: number) => D1PreparedStatement[] {
  const { db } = c.get("services");
  return (companyId) => [findClient.bind(db, companyId, c.req.param("id") ?? "")];
}

function requireRow([found]: [D1Result<OAuthClientRow>]): OAuthClientRow {
  const row = found.results[0];
  if (!row) throw new Problem("not_found");
  return row;
}
