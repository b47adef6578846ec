import * as z from "zod";
import { identityErrors } from "../../../../schemas/identity/errors";
import {
  consumeCodeSchema,
  consumeFormSchema,
  consumeTokenSchema,
  tokenPayloadSchema,
} from "../../../../schemas/identity/sign-in/magic-link";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { jsonResponse, problemResponses } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import { companyScope } from "../../../kit/http/request/company-scope";
import { isForm, mediaTypeOf } from "../../../kit/http/request/form";
import { parse } from "../../../kit/http/request/parse";
import { clientContext } from "../../caller/client/client-context";
import { limitByIp, runConcurrentlyWithLimit } from "../../caller/client/limits";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import { recordFailure } from "../../records/audit/login-failure";
import type { IdentityServices } from "../../services";
import { checkVerifier } from "../completion/code-challenge";
import { decideAccess, readCode, readLink, requireLiveLink } from "../link-requests/magic-link";
import { consumeForSession } from "../link-requests/magic-link-consumption";
import { showConfirmation, verifyForm } from "./magic-link-page";

const PATH = "/api/v1/magic-link/verify";
const query = lazySchema(() =>
  z.object({
    token: z.string().min(1).max(128),
    company_id: z.string(),
    language: z.enum(["en", "fr"]).optional(),
  }),
);

/** Mounts the confirmation page, and the endpoint that signs in with a link or typed code, as a form or as JSON. */
export function mountMagicLinkVerify(service: IdentityService): void {
  const errors = [
    "validation_failed",
    "magic_link_invalid",
    "magic_link_disabled",
    "rate_limited",
    "service_unavailable",
  ];
  const html = () => ({ "text/html": { schema: z.string() } });
  service.route(
    {
      method: "get",
      path: PATH,
      summary: "Show the confirmation page of a link; does not consume it",
      tags: ["Magic link"],
      describe: () => ({
        request: { query: query.unwrap() },
        responses: { 200: { description: "HTML page", content: html() }, ...problemResponses(identityErrors, errors) },
      }),
    },
    (c) => showConfirmation(c.get("services"), c.req.raw, queryOf(c)),
    { isPage: true },
  );
  service.route(
    {
      method: "post",
      path: PATH,
      summary: "Sign in with a link or a typed code",
      description: "JSON requests get the token payload; the form of the confirmation page gets a redirect.",
      tags: ["Magic link"],
      describe: () => ({
        request: {
          query: companyQuery.unwrap(),
          body: {
            required: true,
            content: {
              "application/json": { schema: z.union([consumeTokenSchema.unwrap(), consumeCodeSchema.unwrap()]) },
              "application/x-www-form-urlencoded": { schema: consumeFormSchema.unwrap() },
            },
          },
        },
        responses: {
          200: jsonResponse(tokenPayloadSchema, "Signed in (JSON)"),
          302: { description: "To `redirect_to` (form)" },
          ...problemResponses(identityErrors, [
            ...errors,
            "sign_in_code_invalid",
            "code_verifier_required",
            "code_verifier_invalid",
            "redirect_not_allowed",
            "access_pending",
            "access_denied",
            "csrf_failed",
            "payload_too_large",
            "unsupported_media_type",
          ]),
        },
      }),
    },
    verify,
  );
}

const queryOf = (c: IdentityContext) => ({ token: c.req.query("token"), company_id: c.req.query("company_id") });

async function verify(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const type = mediaTypeOf(c.req.raw);
  // A request without a media type is read as JSON.
  if (type === "application/json" || type === "") return verifyJson(c);
  if (isForm(type)) return verifyForm(services, c.req.raw, queryOf(c));
  await limitByIp(services, c.req.raw, "magic-link-verify", services.settings.rates.verify);
  throw new Problem("unsupported_media_type");
}

/** Returns the body with the company id of the query. Throws 400 when this id is malformed or differs from the body's. */
function withCompany(query: string | undefined, body: Record<string, unknown>): Record<string, unknown> {
  return query === undefined ? body : { ...body, company_id: companyScope({ query, body: body.company_id }) };
}

/**
 * Reads the link in the body with its rows. A typed code is only parsed here. Its lookup counts an attempt, so it must not run
 * before the rate limit is checked.
 */
async function readVerification(services: IdentityServices, body: Record<string, unknown>) {
  if (body.code === undefined || body.token !== undefined) {
    const { company_id: companyId, token, code_verifier: verifier } = parse(consumeTokenSchema, body);
    return { verifier, link: await readLink(services, companyId, token) };
  }
  const { company_id: companyId, email, code, code_verifier: verifier } = parse(consumeCodeSchema, body);
  return { verifier, code: { companyId, email, code } };
}

async function verifyJson(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const limit = limitByIp(services, c.req.raw, "magic-link-verify", services.settings.rates.verify);
  const input = await runConcurrentlyWithLimit(limit, async () =>
    readVerification(services, withCompany(c.req.query("company_id"), await readJson(c.req.raw))),
  );
  const client = clientContext(c.req.raw);
  const state = "link" in input ? input.link : await readCode(services, input.code);
  try {
    const request = requireLiveLink(services, state, "link" in input ? "magic_link_invalid" : "sign_in_code_invalid");
    await checkVerifier(request.code_challenge, input.verifier ?? undefined);
    if (!state.company) throw new Problem("magic_link_disabled");
    const decision = await decideAccess(services, { ...state, company: state.company }, request);
    if (decision.access !== "allowed") throw new Problem(`access_${decision.access}`);
    const { user, company } = state;
    return c.json(
      await consumeForSession(services, { request, user, company, invitation: decision.invitation }, client),
    );
  } catch (error) {
    if (error instanceof Problem)
      recordFailure(services, client, { ...state, reason: error.code, provider: "magic_link" });
    throw error;
  }
}
