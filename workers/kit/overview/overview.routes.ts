import type { ErrorTable } from "../../../schemas/errors";
import { overviewQuery, overviewSchema } from "../../../schemas/overview";
import { adminErrorCodes, authorizeAdmin } from "../auth/authorize";
import type { AdminCaller, CallerServices } from "../auth/caller";
import type { Databases } from "../db/db";
import { type Authorize, type CallNeeds, createCalls } from "../http/call";
import { jsonResponse } from "../http/openapi/responses";
import { noRequestedCompany } from "../http/request/company-scope";
import { parse } from "../http/request/parse";
import type { Service } from "../http/service";
import type { JobServices } from "../jobs/job";
import { invalid } from "../problem";
import type { OverviewSource } from "./operations-report";
import { presentOverview, selectOverview } from "./overview";

/** The scope of the call: a company, or null for all companies. */
export type OverviewScopes = { owner: number | null };

type OverviewApi<S, Caller> = {
  errors: ErrorTable;
  authorize: Authorize<S, OverviewScopes, Caller>;
  impliedErrorCodes: (needs: CallNeeds<"owner">) => readonly string[];
  source: OverviewSource<S>;
};

/** Returns whether the request asks for all companies. */
export const isForAllCompanies = (request: Request): boolean => new URL(request.url).searchParams.get("all") === "true";

/** Mounts `GET /api/v1/overview`, the counts that need attention; see docs/specification/overview.md. */
export function mountOverview<
  S extends Pick<JobServices, "clock" | "settings">,
  E extends { Bindings: object; Variables: { services: S } },
  Caller,
>(service: Service<E>, api: OverviewApi<S, Caller>): void {
  const { errors, authorize, impliedErrorCodes, source } = api;
  const { statements, jobs, valuesOf } = source;
  const call = createCalls<S, OverviewScopes, Caller, E>(service, { errors, authorize, impliedErrorCodes });
  call(
    {
      method: "get",
      path: "/api/v1/overview",
      tags: ["Overview"],
      summary: "Count what needs attention in a company; for staff with `all=true` in all companies",
      role: "owner",
      query: overviewQuery,
      input: async ({ query, services }) => {
        const { all, company_id } = parse(overviewQuery, query);
        if (all && company_id !== undefined) throw invalid({ company_id: ["mismatch"] });
        const { clock, settings } = services;
        return { values: { ...(await valuesOf?.(services)), now: clock.now() }, jobSettings: settings.jobs };
      },
      reads: ({ companyId, input: { values, jobSettings } }) => ({
        counts: selectOverview(statements, jobs, companyId, values, jobSettings),
      }),
      responses: { 200: jsonResponse(overviewSchema, "The counts") },
    },
    ({ c, scope, input: { values }, results }) =>
      c.json(presentOverview(statements.entries, results.counts.first ?? {}, scope, values.now)),
  );
}

/** Mounts the overview of a service other than identity. Such a service recognizes users by their access tokens. */
export function mountSiblingOverview<
  S extends CallerServices & Databases & Pick<JobServices, "clock" | "settings">,
  E extends { Bindings: object; Variables: { services: S } },
>(service: Service<E>, api: Omit<OverviewApi<S, AdminCaller>, "authorize" | "impliedErrorCodes">): void {
  mountOverview<S, E, AdminCaller>(service, {
    ...api,
    authorize: (services, request, input) =>
      isForAllCompanies(request)
        ? authorizeAdmin(services, request, { ...input, role: "staff", requestedCompany: noRequestedCompany })
        : authorizeAdmin(services, request, { ...input, role: "owner" }),
    impliedErrorCodes: adminErrorCodes,
  });
}
