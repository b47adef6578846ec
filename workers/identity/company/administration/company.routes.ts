import * as z from "zod";
import {
  companiesQuery,
  companyBody,
  companyChangeBody,
  companyPageSchema,
  companySchema,
} from "../../../../schemas/identity/company/companies";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../../kit/http/paging/page";
import { parse } from "../../../kit/http/request/parse";
import { readRowId } from "../../../kit/http/request/path-id";
import type { Caller } from "../../caller/credentials/caller";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { presentCompany } from "./company.present";
import { editCompany, refuseReservedKeys, refuseStaffKeys } from "./company-change";
import { authorOf, createCompany } from "./new-company";
import { countCompanies, findOwnedCompany, listCompanies, type OwnedCompanyRow } from "./owned-company.store";

const PATH = "/api/v1/companies";
const TAGS = ["Companies"];
const position = lazySchema(() => z.tuple([z.int()]));
const row = jsonResponse(companySchema, "The company");

/** Mounts the company endpoints. Members read their company, owners change it, and staff create and change companies. */
export function mountCompanies({ call }: IdentityService): void {
  call(
    {
      method: "get",
      path: PATH,
      tags: TAGS,
      role: "member",
      summary: "List the caller's company; for staff with `all=true` all companies, newest first",
      query: companiesQuery,
      permit: ({ request, caller }) => {
        const isAll = new URL(request.url).searchParams.get("all") === "true";
        if (isAll && !caller.isStaff) throw new Problem("forbidden");
      },
      input: ({ query }) => {
        const { all } = parse(companiesQuery, query);
        return { isAll: all === true, page: readPage(query, position, byNumber) };
      },
      reads: ({ companyId, input: { isAll, page } }) => {
        const before = page.after?.[0] ?? Number.MAX_SAFE_INTEGER;
        return {
          companies: isAll
            ? listCompanies({ before, limit: page.limit + 1, offset: page.offset })
            : findOwnedCompany({ companyId }),
          total: isAll ? countCompanies() : null,
        };
      },
      responses: { 200: jsonResponse(companyPageSchema, "A page") },
      errorCodes: ["forbidden"],
    },
    ({ c, input: { isAll, page }, results: { companies, total } }) => {
      // Without `all`, the list has one entry, the caller's company, so later pages are empty.
      const rows = isAll || (page.page === 1 && page.after === null) ? companies.rows : [];
      const companyPage = splitPage(rows, page.limit, (row) => [row.id]);
      const count = isAll ? (total?.first?.count ?? 0) : 1;
      return c.json(presentPage(page, { ...companyPage, count }, presentCompany));
    },
  );
  call(
    {
      method: "post",
      path: PATH,
      tags: TAGS,
      role: "staff",
      summary: "Create a company; for staff",
      query: companyQuery,
      body: {
        ...bodyOf(companyBody),
        read: (raw) => {
          refuseReservedKeys(raw);
          return parse(companyBody, raw);
        },
      },
      responses: { 201: row },
      errorCodes: ["conflict"],
    },
    async ({ c, services, request, caller, body }) => {
      const author = await authorOf(services, request, caller);
      return c.json(presentCompany(await createCompany(services, body, author)), 201);
    },
  );
  call(
    {
      method: "get",
      path: `${PATH}/{id}`,
      tags: TAGS,
      role: "member",
      summary: "Get a company",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ input: companyId }) => ({ company: findOwnedCompany({ companyId }) }),
      row: ({ caller, results }) => ofCaller(caller, results.company.first),
      responses: { 200: row },
    },
    ({ c, row: company }) => c.json(presentCompany(company)),
  );
  for (const method of ["patch", "put"] as const) {
    call(
      {
        method,
        path: `${PATH}/{id}`,
        tags: TAGS,
        role: "owner",
        summary: "Change a company; omitted fields keep their values",
        query: companyQuery,
        params: rowIdPath,
        input: ({ params }) => readRowId(params.id),
        reads: ({ input: companyId }) => ({ company: findOwnedCompany({ companyId }) }),
        row: ({ caller, results }) => ofCaller(caller, results.company.first),
        body: {
          ...bodyOf(companyChangeBody),
          read: (raw, { caller }) => {
            refuseStaffKeys(caller, raw);
            refuseReservedKeys(raw);
            return parse(companyChangeBody, raw);
          },
        },
        responses: { 200: row },
        errorCodes: ["conflict", "company_owner_required"],
      },
      async ({ c, services, request, caller, row: company, body }) =>
        c.json(presentCompany(await editCompany(services, { request, caller, company }, body))),
    );
  }
}

/** Returns the company, or null (404) when it is not the caller's own and the caller is not staff. */
function ofCaller({ companyId, isStaff }: Caller, company: OwnedCompanyRow | null): OwnedCompanyRow | null {
  return company?.id === companyId || isStaff ? company : null;
}
