import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { settingsSchema } from "../../../schemas/identity/sign-in-methods";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { companyScope } from "../../kit/http/request/company-scope";
import { Problem } from "../../kit/problem";
import { type CompanyRow, findCompany } from "../account/person.store";
import { bearerOf, requireCallerWith } from "../caller/caller";
import { limitByIp } from "../caller/limits";
import type { IdentityContext, IdentityService } from "../http";
import { findActiveClients, type OAuthClientRow } from "../oauth-clients/oauth-client.store";
import type { IdentityServices } from "../services";
import { presentSettings } from "./sign-in-methods.present";

type Reads = [CompanyRow, OAuthClientRow];

/** The public settings of a company: how people sign in to it (identity details 6). */
export function mountSettings(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/settings",
      summary: "Sign-in methods of a company; members also see its OAuth clients",
      tags: ["Settings"],
      security: [{}, { bearerAuth: [] }],
      request: { query: companyQuery },
      responses: {
        200: jsonResponse(settingsSchema, "An unknown company looks like one with every method off"),
        ...problemResponses(identityErrors, ["validation_failed", "rate_limited", "service_unavailable"]),
      },
    },
    show,
  );
}

async function show(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { db } = services;
  await limitByIp(services, c.req.raw, "settings", services.settings.rates.settings);
  const query = c.req.query("company_id");
  const named = query === undefined ? null : companyScope({ query });
  const reads = (id: number) => [findCompany.bind(db, id), findActiveClients.bind(db, id)];
  const member = await findMember(services, c.req.raw, (own) => reads(named ?? own));
  const [company, clients] = member?.results ?? (await db.batch<Reads>(reads(named ?? companyScope({}))));
  const isMember =
    member !== null && (member.caller.isStaff || (named ?? member.caller.companyId) === member.caller.companyId);
  const found = { company: company.results[0] ?? null, clients: clients.results, isMember };
  return c.json(presentSettings(services, found));
}

/** Whose bearer it is, with the reads of the call; a missing, stale or bad one counts as none here (details 1.3). */
async function findMember(services: IdentityServices, request: Request, reads: (own: number) => D1PreparedStatement[]) {
  if (bearerOf(request) === null) return null;
  try {
    return await requireCallerWith<Reads>(services, request, reads);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
