import { identityErrors } from "../../../schemas/identity/errors";
import {
  hostingRedirectBody,
  hostingRedirectRemoval,
  oauthRedirectSchema,
} from "../../../schemas/identity/oauth-redirect";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { type LateBody, readLateBody } from "../../kit/http/request/body";
import { parse } from "../../kit/http/request/parse";
import { Problem } from "../../kit/problem";
import { type Caller, requireCaller } from "../caller/caller";
import type { IdentityContext, IdentityService } from "../http";
import { putHostingRedirect, removeHostingRedirect } from "./oauth-redirect";
import { presentOauthRedirect } from "./oauth-redirect.present";

const path = "/api/v1/hosting-oauth-redirects";
const common = { tags: ["OAuth redirects"], security: [{ bearerAuth: [] }] };
const errors = [
  ...["validation_failed", "company_id_not_allowed", "unauthorized", "token_invalid", "access_pending"],
  ...["access_denied", "pat_read_only", "forbidden", "payload_too_large", "unsupported_media_type"],
  "service_unavailable",
];

/** The origins that hosting keeps on the allowlist of the token's company (identity details 7.5). */
export function mountHostingOauthRedirects(service: IdentityService): void {
  service.route(
    {
      method: "put",
      path,
      ...common,
      summary: "Make the origin of an application active",
      request: { body: jsonBody(hostingRedirectBody) },
      responses: {
        200: jsonResponse(oauthRedirectSchema, "The row that was there, now active; its source stays"),
        201: jsonResponse(oauthRedirectSchema, "A new row of source `hosting`"),
        ...problemResponses(identityErrors, [...errors, "limit_reached"]),
      },
    },
    put,
  );
  service.route(
    {
      method: "delete",
      path,
      ...common,
      summary: "Take the origin of an application off the allowlist",
      request: { body: jsonBody(hostingRedirectRemoval) },
      responses: {
        204: { description: "No row of source `hosting` has the origin" },
        ...problemResponses(identityErrors, errors),
      },
    },
    remove,
  );
}

async function put(c: IdentityContext): Promise<Response> {
  const { change, take } = await admitToOwnCompany(c);
  const { row, isNew } = await putHostingRedirect(change, parse(hostingRedirectBody, take()));
  return c.json(presentOauthRedirect(row), isNew ? 201 : 200);
}

async function remove(c: IdentityContext): Promise<Response> {
  const { change, take } = await admitToOwnCompany(c);
  await removeHostingRedirect(change, parse(hostingRedirectRemoval, take()).base_url);
  return c.body(null, 204);
}

/** Staff or an owner, for the company of the token and no other; 400 `company_id_not_allowed` when one is named. */
async function admitToOwnCompany(c: IdentityContext) {
  const services = c.get("services");
  const request = c.req.raw;
  const body: LateBody = await readLateBody(request);
  const caller: Caller = await requireCaller(services, request);
  const isNamed = new URL(request.url).searchParams.has("company_id") || body.companyId !== undefined;
  if (isNamed) throw new Problem("company_id_not_allowed");
  if (!caller.isStaff && !caller.isOwner) throw new Problem("forbidden");
  return { change: { services, request, caller, companyId: caller.companyId }, take: body.take };
}
