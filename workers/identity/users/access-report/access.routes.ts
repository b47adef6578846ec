import { accessInput, accessQuery, accessSchema } from "../../../../schemas/identity/people/access";
import { companyQuery, rowIdPath } from "../../../../schemas/query";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { parse } from "../../../kit/http/request/parse";
import { readRowId } from "../../../kit/http/request/path-id";
import type { IdentityService } from "../../http";
import { selectUser } from "../profiles/company-user";
import { reportAccess } from "./access";

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
      responses: report,
    },
    async ({ c, services, request, caller, scope: company, input: email }) =>
      c.json(await reportAccess({ services, request, caller, company }, email)),
  );
  call(
    {
      ...common,
      path: "/api/v1/users/{id}/access",
      summary: "Report why a user can or cannot sign in",
      query: companyQuery,
      params: rowIdPath,
      input: ({ params }) => readRowId(params.id),
      reads: ({ companyId, input: userId }) => ({ user: selectUser(companyId, userId) }),
      row: ({ caller, results }) => {
        const user = results.user.first;
        return user !== null && (user.state !== null || caller.isStaff) ? user : null;
      },
      responses: report,
    },
    async ({ c, services, request, caller, scope: company, row }) =>
      c.json(await reportAccess({ services, request, caller, company }, row.email)),
  );
}
