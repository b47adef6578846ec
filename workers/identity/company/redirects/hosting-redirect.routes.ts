import {
  hostingRedirectBody,
  hostingRedirectRemoval,
  oauthRedirectSchema,
} from "../../../../schemas/identity/company/oauth-redirect";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import type { Caller } from "../../caller/credentials/caller";
import type { IdentityService } from "../../http";
import { Problem } from "../../problem";
import { putHostingRedirect, removeHostingRedirect } from "./oauth-redirect";
import { presentOauthRedirect } from "./oauth-redirect.present";

const common = {
  path: "/api/v1/hosting-oauth-redirects",
  tags: ["OAuth redirects"],
  role: "self",
  permit: requireTokenCompany,
} as const;
const errorCodes = ["company_id_not_allowed", "forbidden"] as const;

/** Mounts the endpoints with which hosting maintains its origins on the redirect allowlist of the token's company. */
export function mountHostingOauthRedirects({ call }: IdentityService): void {
  call(
    {
      ...common,
      method: "put",
      summary: "Add or activate the origin of an application",
      body: bodyOf(hostingRedirectBody),
      responses: {
        200: jsonResponse(oauthRedirectSchema, "The existing entry, now active; its source is unchanged"),
        201: jsonResponse(oauthRedirectSchema, "A new entry with the source `hosting`"),
      },
      errorCodes: [...errorCodes, "limit_reached"],
    },
    async ({ c, services, request, caller, scope: companyId, body }) => {
      const { row, isNew } = await putHostingRedirect({ services, request, caller, companyId }, body);
      return c.json(presentOauthRedirect(row), isNew ? 201 : 200);
    },
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Remove the origin of an application from the allowlist",
      body: bodyOf(hostingRedirectRemoval),
      responses: { 204: { description: "No entry with the source `hosting` has the origin" } },
      errorCodes,
    },
    async ({ c, services, request, caller, scope: companyId, body }) => {
      await removeHostingRedirect({ services, request, caller, companyId }, body.base_url);
      return c.body(null, 204);
    },
  );
}

/**
 * Throws 403 `forbidden` unless the caller is staff or an owner, and 400 `company_id_not_allowed` when the request names a
 * company.
 */
function requireTokenCompany({
  caller,
  request,
  bodyFields,
}: {
  caller: Caller;
  request: Request;
  bodyFields: Record<string, unknown>;
}) {
  const hasCompanyId = new URL(request.url).searchParams.has("company_id") || bodyFields.company_id !== undefined;
  if (hasCompanyId) throw new Problem("company_id_not_allowed");
  if (!caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
}
