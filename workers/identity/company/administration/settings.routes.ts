import { settingsSchema } from "../../../../schemas/identity/company/sign-in-methods";
import { identityErrors } from "../../../../schemas/identity/errors";
import { companyQuery } from "../../../../schemas/query";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { companyScope, noRequestedCompany } from "../../../kit/http/request/company-scope";
import { Problem } from "../../../kit/problem";
import { limitByIp } from "../../caller/client/limits";
import { authorizeCaller } from "../../caller/credentials/authorize";
import { bearerOf } from "../../caller/credentials/credential";
import type { IdentityContext, IdentityService } from "../../http";
import type { IdentityServices } from "../../services";
import { selectSignInMethods } from "../sign-in-methods/sign-in-methods";
import { presentSettings } from "../sign-in-methods/sign-in-methods.present";

/** Mounts the endpoint of a company's public settings: its sign-in methods. */
export function mountSettings(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/settings",
      summary: "Get the sign-in methods of a company; members also see its OAuth clients",
      tags: ["Settings"],
      security: [{}, { bearerAuth: [] }],
      describe: () => ({
        request: { query: companyQuery.unwrap() },
        responses: {
          200: jsonResponse(settingsSchema, "The methods; an unknown company looks like one with all methods disabled"),
          ...problemResponses(identityErrors, ["validation_failed", "rate_limited", "service_unavailable"]),
        },
      }),
    },
    show,
  );
}

async function show(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "settings", services.settings.rates.settings);
  const query = c.req.query("company_id");
  const requestedCompanyId = query === undefined ? null : companyScope({ query });
  const member = await findMember(services, c.req.raw, requestedCompanyId);
  const { company, clients } =
    member?.results ?? (await services.db.batch(selectSignInMethods(requestedCompanyId ?? companyScope({}))));
  const isMember =
    member !== null &&
    (member.caller.isStaff || (requestedCompanyId ?? member.caller.companyId) === member.caller.companyId);
  return c.json(presentSettings(services, { company: company.first, clients: clients.rows, isMember }));
}

/**
 * Returns the caller with the company's sign-in methods. Returns null for a missing, expired or invalid bearer token, because
 * this route also serves anonymous requests.
 */
async function findMember(services: IdentityServices, request: Request, requestedCompanyId: number | null) {
  if (bearerOf(request) === null) return null;
  try {
    return await authorizeCaller(services, request, {
      role: "self",
      requestedCompany: noRequestedCompany,
      reads: ({ companyId }) => (companyId === null ? null : selectSignInMethods(requestedCompanyId ?? companyId)),
    });
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
