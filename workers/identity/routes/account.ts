import { authMethodsBody, authMethodsSchema, companyQuery, settingsSchema } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { companyScope } from "../../kit/http/company-scope";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi";
import { parse } from "../../kit/http/parse";
import { Problem } from "../../kit/problem";
import type { IdentityContext, IdentityService } from "../http";
import { presentAuthMethods, presentSettings } from "../present/company";
import { admit, admitWithBody, bearerOf } from "../rules/caller";
import { limitByIp } from "../rules/limits";
import { verifyAccessToken } from "../rules/tokens";
import { type CompanyRow, findCompany, setMagicLink } from "../store/people";

const bearer = [{ bearerAuth: [] }];
const credentialErrors = ["unauthorized", "token_invalid", "access_pending", "access_denied", "service_unavailable"];
const scopeErrors = ["validation_failed", "company_mismatch", "forbidden", "not_found"];

/** Mounts the public settings and the auth-methods administration (identity details 6). */
export function mountAccount(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/settings",
      summary: "Sign-in methods of a company",
      tags: ["Settings"],
      security: [{}, { bearerAuth: [] }],
      request: { query: companyQuery },
      responses: {
        200: jsonResponse(settingsSchema, "An unknown company looks like one with every method off"),
        ...problemResponses(identityErrors, ["validation_failed", "rate_limited", "service_unavailable"]),
      },
    },
    showSettings,
  );
  service.route(
    {
      method: "get",
      path: "/api/v1/auth-methods",
      summary: "Auth methods of a company",
      tags: ["Settings"],
      security: bearer,
      request: { query: companyQuery },
      responses: {
        200: jsonResponse(authMethodsSchema, "The methods"),
        ...problemResponses(identityErrors, [...credentialErrors, ...scopeErrors]),
      },
    },
    showAuthMethods,
  );
  for (const method of ["patch", "put"] as const) {
    service.route(
      {
        method,
        path: "/api/v1/auth-methods",
        summary: "Switch sign-in by magic link on or off",
        tags: ["Settings"],
        security: bearer,
        request: { query: companyQuery, body: jsonBody(authMethodsBody) },
        responses: {
          200: jsonResponse(authMethodsSchema, "The methods after the change"),
          ...problemResponses(identityErrors, [
            ...credentialErrors,
            ...scopeErrors,
            "payload_too_large",
            "unsupported_media_type",
          ]),
        },
      },
      changeAuthMethods,
    );
  }
}

async function showSettings(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "settings", services.settings.rates.settings);
  const query = c.req.query("company_id");
  const token = query === undefined ? await companyOfBearer(c) : undefined;
  const companyId = companyScope({ query, ...(token === undefined ? {} : { token }) });
  const { db } = services;
  const company = await db.first<CompanyRow>(findCompany.bind(db, companyId));
  return c.json(presentSettings(services, company));
}

/** The company of a valid bearer; a stale or bad header is ignored here (details 1.3). */
async function companyOfBearer(c: IdentityContext): Promise<number | undefined> {
  const token = bearerOf(c.req.raw);
  return token === null ? undefined : (await verifyAccessToken(c.get("services"), token))?.company_id;
}

async function showAuthMethods(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { company } = await admit(services, c.req.raw, "owner");
  return c.json(presentAuthMethods(services, company));
}

async function changeAuthMethods(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { company, take } = await admitWithBody(services, c.req.raw, "owner");
  const { enable_magic_link } = parse(authMethodsBody, take());
  const { db, clock } = services;
  const changed = await db.first<CompanyRow>(setMagicLink.bind(db, company.id, enable_magic_link, clock.now()));
  if (!changed) throw new Problem("not_found");
  return c.json(presentAuthMethods(services, changed));
}
