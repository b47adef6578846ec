import { authMethodsBody, authMethodsSchema } from "../../../../schemas/identity/company/sign-in-methods";
import { companyQuery } from "../../../../schemas/query";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { selectActiveClients } from "./oauth-client";
import { changeSignInFlags } from "./sign-in-methods";
import { presentAuthMethods } from "./sign-in-methods.present";

const common = { path: "/api/v1/auth-methods", tags: ["Settings"], role: "owner", query: companyQuery } as const;

/** Mounts the endpoints of a company's sign-in settings, for staff and owners. */
export function mountAuthMethods({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "get",
      summary: "Get the sign-in settings of a company",
      reads: ({ companyId }) => ({ clients: selectActiveClients(companyId) }),
      responses: { 200: jsonResponse(authMethodsSchema, "The methods") },
    },
    ({ c, services, scope: company, results }) =>
      c.json(presentAuthMethods(services, { company, clients: results.clients.rows })),
  );
  for (const method of ["patch", "put"] as const) {
    call(
      {
        ...common,
        method,
        summary: "Enable or disable magic links and new-device mails",
        body: bodyOf(authMethodsBody),
        responses: { 200: jsonResponse(authMethodsSchema, "The methods after the change") },
      },
      async ({ c, services, request, caller, scope: company, body }) => {
        const after = await changeSignInFlags(services, { request, caller, company }, body);
        if (after === null) throw new Problem("not_found");
        return c.json(presentAuthMethods(services, after));
      },
    );
  }
}
