import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { authMethodsBody, authMethodsSchema } from "../../../schemas/identity/sign-in-methods";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import { type CompanyRow, findCompany, setMagicLink } from "../account/person.store";
import { noteChange } from "../audit/event-log";
import { admit, admitWithBody } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { findActiveClients, type OAuthClientRow } from "../oauth-clients/oauth-client.store";
import { presentAuthMethods } from "./sign-in-methods.present";

const path = "/api/v1/auth-methods";
const common = { tags: ["Settings"], security: [{ bearerAuth: [] }] };
const readErrors = [
  ...["validation_failed", "unauthorized", "token_invalid", "access_pending", "access_denied"],
  ...["company_mismatch", "forbidden", "not_found", "service_unavailable"],
];
const changeErrors = [...readErrors, "pat_read_only", "payload_too_large", "unsupported_media_type"];

/** How people sign in to a company, for staff and owners (identity details 6). */
export function mountAuthMethods(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path,
      ...common,
      summary: "Auth methods of a company",
      request: { query: companyQuery },
      responses: {
        200: jsonResponse(authMethodsSchema, "The methods"),
        ...problemResponses(identityErrors, readErrors),
      },
    },
    show,
  );
  for (const method of ["patch", "put"] as const) {
    service.route(
      {
        method,
        path,
        ...common,
        summary: "Switch sign-in by magic link on or off",
        request: { query: companyQuery, body: jsonBody(authMethodsBody) },
        responses: {
          200: jsonResponse(authMethodsSchema, "The methods after the change"),
          ...problemResponses(identityErrors, changeErrors),
        },
      },
      change,
    );
  }
}

async function show(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const reads = (companyId: number) => [findActiveClients.bind(services.db, companyId)];
  const { company, results } = await admit<[OAuthClientRow]>(services, c.req.raw, "owner", { reads });
  return c.json(presentAuthMethods(services, company, results[0].results));
}

async function change(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db, clock } = services;
  const { caller, company, take } = await admitWithBody(services, c.req.raw, "owner");
  const { enable_magic_link } = parse(authMethodsBody, take());
  const type = "identity.auth_methods.updated" as const;
  const data = { changed_fields: ["enable_magic_link"], enable_magic_link };
  const entry = { caller, companyId: company.id, type, data };
  const [, , changed, clients] = await db.batch<[unknown, unknown, CompanyRow, OAuthClientRow]>([
    setMagicLink.bind(db, company.id, enable_magic_link, clock.now()),
    await noteChange(services, c.req.raw, entry),
    findCompany.bind(db, company.id),
    findActiveClients.bind(db, company.id),
  ]);
  const row = changed.results[0];
  if (!row) throw new Problem("not_found");
  return c.json(presentAuthMethods(services, row, clients.results));
}
