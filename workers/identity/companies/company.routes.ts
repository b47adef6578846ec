import * as z from "zod";
import {
  companiesQuery,
  companyBody,
  companyChangeBody,
  companyPageSchema,
  companySchema,
} from "../../../schemas/identity/companies";
import { identityErrors } from "../../../schemas/identity/errors";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { presentNumberPage, readNumberPage } from "../../kit/http/paging/number-page";
import { readLate } from "../../kit/http/request/late-query";
import { parse } from "../../kit/http/request/parse";
import { rowIdOf } from "../../kit/http/request/path-id";
import { Problem } from "../../kit/problem";
import { admit, admitWithBody } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { authorOf, createCompany, editCompany, refuseReservedKeys, refuseStaffKeys } from "./company";
import { presentCompany } from "./company.present";
import { countCompanies, findOwnedCompany, listCompanies, type OwnedCompanyRow } from "./company.store";

const path = "/api/v1/companies";
const common = { tags: ["Companies"], security: [{ bearerAuth: [] }] };
const companyQuery = z.object({ company_id: z.string().optional() });
const idParam = z.object({ id: z.string() });
const readErrors = [
  ...["validation_failed", "unauthorized", "token_invalid", "access_pending", "access_denied"],
  ...["company_mismatch", "forbidden", "not_found", "service_unavailable"],
];
const bodyErrors = [...readErrors, "pat_read_only", "conflict", "payload_too_large", "unsupported_media_type"];

/** Companies: read by members, made by staff, changed by staff and owners (identity details 7.2). */
export function mountCompanies(service: IdentityService): void {
  const row = jsonResponse(companySchema, "The company");
  service.route(
    {
      method: "get",
      path,
      ...common,
      summary: "The caller's company; all of them for staff with all=true, newest first",
      request: { query: companiesQuery },
      responses: { 200: jsonResponse(companyPageSchema, "A page"), ...problemResponses(identityErrors, readErrors) },
    },
    list,
  );
  service.route(
    {
      method: "post",
      path,
      ...common,
      summary: "Make a company, by staff",
      request: { query: companyQuery, body: jsonBody(companyBody) },
      responses: { 201: row, ...problemResponses(identityErrors, bodyErrors) },
    },
    create,
  );
  service.route(
    {
      method: "get",
      path: `${path}/{id}`,
      ...common,
      summary: "A company",
      request: { query: companyQuery, params: idParam },
      responses: { 200: row, ...problemResponses(identityErrors, readErrors) },
    },
    show,
  );
  for (const method of ["patch", "put"] as const) {
    service.route(
      {
        method,
        path: `${path}/{id}`,
        ...common,
        summary: "Change a company; what is left out stays",
        request: { query: companyQuery, params: idParam, body: jsonBody(companyChangeBody) },
        responses: { 200: row, ...problemResponses(identityErrors, [...bodyErrors, "company_owner_required"]) },
      },
      change,
    );
  }
}

async function list(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  const isAll = c.req.query("all") === "true";
  const page = readLate(() => {
    parse(companiesQuery, c.req.query());
    return readNumberPage(c.req.query());
  });
  const { caller, results } = await admit<[OwnedCompanyRow, { count: number }]>(services, c.req.raw, "member", {
    reads: (companyId) => {
      if (page instanceof Problem) return [];
      if (!isAll) return [findOwnedCompany.bind(db, companyId)];
      return [listCompanies.bind(db, page.pageSize, page.offset), countCompanies.bind(db)];
    },
  });
  if (isAll && !caller.isStaff) throw new Problem("forbidden");
  if (page instanceof Problem) throw page;
  const [found, total] = results;
  const shown = isAll || page.page === 1 ? found.results.map(presentCompany) : [];
  return c.json(presentNumberPage(isAll ? (total.results[0]?.count ?? 0) : 1, page, shown));
}

async function create(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { caller, take } = await admitWithBody(services, c.req.raw, "staff");
  const body = take();
  refuseReservedKeys(body);
  const author = await authorOf({ services, request: c.req.raw, caller });
  const company = await createCompany(services, parse(companyBody, body), author);
  return c.json(presentCompany(company), 201);
}

async function show(c: IdentityContext): Promise<Response> {
  const admission = await admit<[OwnedCompanyRow]>(c.get("services"), c.req.raw, "member", { reads: readCompany(c) });
  return c.json(presentCompany(requireCompany(admission)));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const admission = await admitWithBody<[OwnedCompanyRow]>(services, c.req.raw, "owner", readCompany(c));
  const { caller, take } = admission;
  const company = requireCompany(admission);
  const body = take();
  refuseStaffKeys(caller, body);
  refuseReservedKeys(body);
  const input = parse(companyChangeBody, body);
  return c.json(presentCompany(await editCompany({ services, request: c.req.raw, caller }, company, input)));
}

/** The read of the company that the path names; a malformed id finds none. */
function readCompany(c: IdentityContext): () => D1PreparedStatement[] {
  const { db } = c.get("services");
  return () => [findOwnedCompany.bind(db, rowIdOf(c.req.param("id")))];
}

/** 404 for another company, unless the caller is staff (details 7.2). */
function requireCompany(admission: {
  caller: { isStaff: boolean; companyId: number };
  results: [D1Result<OwnedCompanyRow>];
}): OwnedCompanyRow {
  const { caller, results } = admission;
  const row = results[0].results[0];
  if (!row || (row.id !== caller.companyId && !caller.isStaff)) throw new Problem("not_found");
  return row;
}
