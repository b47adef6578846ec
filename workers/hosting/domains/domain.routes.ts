import * as z from "zod";
import type { AccessRow, AppRow, DomainRow } from "../../../db/hosting/schema";
import { domainPageSchema, domainParams, domainSchema, newDomainBody } from "../../../schemas/hosting/domain";
import { lazySchema } from "../../../schemas/lazy-schema";
import { pageQuery } from "../../../schemas/page";
import type { Result } from "../../kit/db/db";
import { bodyOf } from "../../kit/http/call";
import { jsonResponse } from "../../kit/http/openapi/responses";
import { byNumber, presentPage, readPage, splitPage } from "../../kit/http/paging/page";
import { findAccess } from "../access/access";
import { limitBy } from "../access/limit";
import { findApp } from "../apps/app";
import { appCall, changesApp, gated } from "../apps/app-call";
import type { HostingService } from "../http";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { checkDomain } from "./check";
import { addDomain, removeDomain } from "./domain";
import { presentDomain } from "./domain.present";
import { countDomains, findDomain, listDomains } from "./domain.store";

const PATH = "/hosting/v1/apps/{app}/domains";
const tags = ["Domains"];
const position = lazySchema(() => z.tuple([z.string().max(253)]));

type Input = { companyId: number; input: { app: string; id: string } };
type Rows = { app: Result<AppRow>; domain: Result<DomainRow> };

const rowsOf = ({ app, domain }: Rows) =>
  app.first === null || domain.first === null ? null : { app: app.first, domain: domain.first };

const reads = ({ companyId, input: { app, id } }: Input) => ({
  app: findApp({ companyId, app }),
  domain: findDomain({ companyId, app, id }),
});

/** Declares a call that reads one domain of an app of the company. */
const readsDomain = {
  ...appCall,
  path: `${PATH}/{id}`,
  tags,
  params: domainParams,
  input: ({ params: { app = "", id = "" } }: { params: Record<string, string> }) => ({ app, id }),
  reads,
  row: ({ results }: { results: Rows }) => rowsOf(results),
} as const;

/** Declares a call that changes one domain of an app of the company. The company needs access. */
const changesDomain = {
  ...readsDomain,
  reads: (input: Input) => ({ ...reads(input), access: findAccess({ companyId: input.companyId }) }),
  row: (call: { services: HostingServices; results: Rows & { access: Result<AccessRow> } }) =>
    gated(call, rowsOf(call.results)),
  errorCodes: ["hosting_access_denied", "hosting_not_configured"],
} as const;

/** Mounts the custom domains of apps: docs/specification/hosting-domains.md */
export function mountDomains({ call }: HostingService): void {
  const response = jsonResponse(domainSchema, "The domain with the DNS records that it needs");
  call(
    {
      ...appCall,
      method: "get",
      path: PATH,
      tags,
      summary: "List the custom domains of an app",
      params: changesApp.params,
      query: pageQuery,
      input: ({ params, query }) => ({ app: params.app ?? "", ...readPage(query, position, byNumber) }),
      reads: ({ companyId, input: { app, after, limit, offset } }) => ({
        app: findApp({ companyId, app }),
        domains: listDomains({ companyId, app, after: after?.[0] ?? "", limit: limit + 1, offset }),
        count: countDomains({ companyId, app }),
      }),
      row: ({ results }) => results.app.first,
      responses: { 200: jsonResponse(domainPageSchema, "A page") },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, input, results, row }) => {
      const page = splitPage(results.domains.rows, input.limit, ({ hostname }) => [hostname]);
      const count = results.count.first?.total ?? 0;
      return c.json(presentPage(input, { ...page, count }, presentDomain(services.settings, row)));
    },
  );
  call(
    {
      ...changesApp,
      method: "post",
      path: PATH,
      tags,
      summary: "Add a custom domain to an app",
      description: "The domain is served once its TXT record proves that the company controls it.",
      body: bodyOf(newDomainBody),
      responses: { 201: response },
      errorCodes: [...changesApp.errorCodes, "domain_exists", "domain_limit_reached"],
    },
    async ({ c, services, caller, row, body }) =>
      c.json(presentDomain(services.settings, row)(await addDomain(services, row, caller, body)), 201),
  );
  call(
    {
      ...readsDomain,
      method: "get",
      summary: "Get a custom domain of an app",
      responses: { 200: response },
      errorCodes: ["hosting_not_configured"],
    },
    ({ c, services, row: { app, domain } }) => c.json(presentDomain(services.settings, app)(domain)),
  );
  call(
    {
      ...changesDomain,
      method: "post",
      path: `${PATH}/{id}/check`,
      summary: "Check the TXT record of a custom domain now",
      responses: { 200: response },
    },
    async ({ c, services, caller, row: { app, domain } }) => {
      const checked = await checkDomain(services, domain, caller);
      if (checked === null) throw new Problem("not_found");
      return c.json(presentDomain(services.settings, app)(checked));
    },
  );
  call(
    {
      ...changesDomain,
      method: "delete",
      summary: "Remove a custom domain from an app",
      limit: limitBy("remove"),
      responses: { 204: { description: "Removed" } },
    },
    async ({ c, services, caller, row: { domain } }) => {
      await removeDomain(services, caller, domain);
      return c.body(null, 204);
    },
  );
}
