import { accessInput, accessQuery, accessSchema } from "../../../../schemas/identity/people/access";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { readRowId } from "../../../kit/http/request/path-id";
import type { IdentityService } from "../../http";
import { reportAccess, selectAccess, visibleUser } from "./access";

const common = { method: "get", tags: ["Access"], role: "owner" } as const;

/** Mounts the reports of why a user or an address can or cannot sign in: docs/specification/access.md */
export function mountAccess({ call }: IdentityService): void {
  const report = { 200: jsonResponse(accessSchema, "The checks of a sign-in, in order") };
  call(
    {
      ...common,
      path: "/api/v1/access",
      summary: "Report why an address can or cannot sign in",
      query: accessQuery,
      input: ({ query }) => parse(accessInput, query).email,
      reads: ({ companyId, input: email }) => selectAccess(companyId, { userId: null, email }),
      responses: report,
    },
    async ({ c, services, request, caller, scope: company, input: email, results }) =>
      c.json(await reportAccess({ services, request, caller, company }, email, results)),
  );
  call(
    {
      ...common,
      path: "/api/v1/users/{id}/access",
      summary: "Report why a user can or cannot sign in",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => selectAccess(companyId, { userId, email: null }),
      row: ({ caller, results }) => visibleUser(caller, results.user.first),
      responses: report,
    },
    async ({ c, services, request, caller, scope: company, row, results }) =>
      c.json(await reportAccess({ services, request, caller, company }, row.email, results)),
  );
}
