import * as z from "zod";
import { identityErrors } from "../../../../schemas/identity/errors";
import {
  loggedOutSchema,
  logoutSchema,
  redeemSchema,
  refreshSchema,
  tokenPayloadSchema,
} from "../../../../schemas/identity/sign-in/magic-link";
import { companyQuery } from "../../../../schemas/query";
import { jsonBody, jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import { companyScope } from "../../../kit/http/request/company-scope";
import { parse } from "../../../kit/http/request/parse";
import { clientContext } from "../../caller/client/client-context";
import { limitByIp } from "../../caller/client/limits";
import { bearerOf } from "../../caller/credentials/credential";
import { requireRedirect } from "../../company/redirects/redirect-target";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import { redeemCode } from "./auth-code";
import { logout, readLogoutBearer } from "./logout";
import { refreshSession } from "./session";

const BODY_ERRORS = [
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "service_unavailable",
];

/** Mounts the endpoints that redeem an auth code, refresh a session and sign out. */
export function mountSession(service: IdentityService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/oauth/session",
      summary: "Exchange an auth code for a session",
      tags: ["Session"],
      describe: () => ({
        request: { query: companyQuery.unwrap(), body: jsonBody(redeemSchema) },
        responses: {
          200: jsonResponse(tokenPayloadSchema, "Signed in"),
          ...problemResponses(identityErrors, [
            ...BODY_ERRORS,
            "auth_code_invalid",
            "redirect_not_allowed",
            "code_verifier_required",
            "code_verifier_invalid",
            "access_pending",
            "access_denied",
          ]),
        },
      }),
    },
    redeem,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/token",
      summary: "Refresh a session",
      tags: ["Session"],
      describe: () => ({
        request: {
          query: companyQuery.unwrap().extend({ grant_type: z.literal("refresh_token").optional() }),
          body: jsonBody(refreshSchema),
        },
        responses: {
          200: jsonResponse(tokenPayloadSchema, "A new pair, or the current one within the grace"),
          ...problemResponses(identityErrors, [
            ...BODY_ERRORS,
            "unsupported_grant_type",
            "token_invalid",
            "refresh_token_reused",
            "access_pending",
            "access_denied",
            "company_mismatch",
          ]),
        },
      }),
    },
    refresh,
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/logout",
      summary: "Sign out",
      tags: ["Session"],
      security: [{ bearerAuth: [] }, {}],
      describe: () => ({
        request: { body: { ...jsonBody(logoutSchema), required: false } },
        responses: {
          200: jsonResponse(loggedOutSchema, "Signed out; also when the session had ended before"),
          ...problemResponses(identityErrors, [
            ...BODY_ERRORS,
            "unauthorized",
            "token_invalid",
            "refresh_token_reused",
            "pat_read_only",
          ]),
        },
      }),
    },
    endSession,
  );
}

/** Returns the company id in the query or body, or null when the request has none. Throws 400 `[invalid]` or `[mismatch]`. */
function readCompanyId(c: IdentityContext, body: number | null | undefined): number | null {
  const query = c.req.query("company_id");
  return query === undefined && body == null ? null : companyScope({ query, body });
}

async function redeem(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "oauth", services.settings.rates.oauth);
  const body = parse(redeemSchema, await readJson(c.req.raw));
  const redirectTo = requireRedirect(body.redirect_to);
  const origin = c.req.header("origin");
  if (origin !== undefined && origin !== "null" && origin !== redirectTo.origin) throw new Problem("auth_code_invalid");
  const input = {
    authCode: body.auth_code,
    redirectTo,
    verifier: body.code_verifier ?? undefined,
    companyId: readCompanyId(c, body.company_id),
  };
  return c.json(await redeemCode(services, input, clientContext(c.req.raw)));
}

async function refresh(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "token", services.settings.rates.refresh);
  const body = await readJson(c.req.raw);
  if ((c.req.query("grant_type") ?? body.grant_type) !== "refresh_token") throw new Problem("unsupported_grant_type");
  const fields = parse(refreshSchema, body);
  const companyId = readCompanyId(c, fields.company_id);
  const client = clientContext(c.req.raw);
  return c.json(await refreshSession(services, fields.refresh_token, companyId, client));
}

async function endSession(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "token", services.settings.rates.refresh);
  const bearer = await readLogoutBearer(services, c.req.raw);
  const fields = parse(logoutSchema, await readJson(c.req.raw, { optional: true }));
  await logout(services, {
    bearer,
    hasBearer: bearerOf(c.req.raw) !== null,
    client: clientContext(c.req.raw),
    refreshToken: fields.refresh_token ?? null,
    all: fields.all ?? false,
  });
  return c.json({ success: true });
}
