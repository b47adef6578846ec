import * as z from "zod";
import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import {
  consumeCodeSchema,
  consumeFormSchema,
  consumeTokenSchema,
  tokenPayloadSchema,
} from "../../../schemas/identity/magic-link";
import { jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readJson } from "../../kit/http/request/body";
import { companyScope } from "../../kit/http/request/company-scope";
import { isForm, mediaTypeOf, readForm } from "../../kit/http/request/form";
import { parse } from "../../kit/http/request/parse";
import { clientIpKey } from "../../kit/limits/client-ip";
import { invalid, Problem } from "../../kit/problem";
import { recordFailure } from "../audit/event-log";
import { clientContext } from "../caller/client-context";
import { limitByIp } from "../caller/limits";
import type { IdentityContext, IdentityService } from "../http";
import { codeLocation, errorLocation, fragmentLocation, requireRedirect } from "../redirects/redirect-target";
import { checkCsrf, prepareCsrf } from "../sign-in/csrf";
import { pageLanguage } from "../sign-in/page";
import { asProblem, redirectTo, wantsHtml } from "../sign-in/page-answer";
import {
  checkVerifier,
  decideAccess,
  isRedirectStillAllowed,
  type LinkState,
  readCode,
  readLink,
  requireLiveLink,
} from "./magic-link";
import { confirmationPage, problemPage, refusalSentence } from "./magic-link.present";
import { consumeForCode, consumeForSession } from "./magic-link-use";

const path = "/api/v1/magic-link/verify";
const query = z.object({ token: z.string().optional(), company_id: z.string().optional() });

/** Mounts the confirmation page and the two ways to use a link (identity details 2.4, 2.5). */
export function mountMagicLinkVerify(service: IdentityService): void {
  const errors = [
    "validation_failed",
    "magic_link_invalid",
    "magic_link_disabled",
    "rate_limited",
    "service_unavailable",
  ];
  const html = { "text/html": { schema: z.string() } };
  service.route(
    {
      method: "get",
      path,
      summary: "The confirmation page of a link; never uses it up",
      tags: ["Magic link"],
      request: { query },
      responses: { 200: { description: "HTML page", content: html }, ...problemResponses(identityErrors, errors) },
    },
    showConfirmation,
    { isPage: true },
  );
  service.route(
    {
      method: "post",
      path,
      summary: "Use a link or a typed code",
      description: "JSON answers the token payload; the form of the confirmation page is answered by a redirect.",
      tags: ["Magic link"],
      request: {
        query: companyQuery,
        body: {
          required: true,
          content: {
            "application/json": { schema: z.union([consumeTokenSchema, consumeCodeSchema]) },
            "application/x-www-form-urlencoded": { schema: consumeFormSchema },
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
    },
    verify,
  );
}

/** `token` and `company_id` of a query or form, both text. */
function readLinkFields(token: string | null | undefined, companyId: string | null | undefined) {
  if (!token) throw invalid({ token: ["required"] });
  if (token.length > 128) throw invalid({ token: ["too_long"] });
  if (!companyId) throw invalid({ company_id: ["required"] });
  if (!/^[1-9][0-9]{0,14}$/.test(companyId)) throw invalid({ company_id: ["invalid"] });
  return { token, companyId: Number(companyId) };
}

/** A refusal as a page, with a way to a new link when the state names one. */
async function refusalPage(c: IdentityContext, problem: Problem, state: LinkState | null): Promise<Response> {
  const entry = identityErrors[problem.code as keyof typeof identityErrors];
  const origin = state?.request ? new URL(state.request.redirect_to).origin : state?.oldestOrigin;
  const { headers } = problem.options;
  return problemPage({
    language: pageLanguage(state?.request?.language ?? null, c.req.header("accept-language")),
    code: problem.code,
    status: entry.status,
    loginUrl: origin ? `${origin}/login` : null,
    ...(headers ? { headers } : {}),
  });
}

async function showConfirmation(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  let state: LinkState | null = null;
  try {
    await limitByIp(services, c.req.raw, "magic-link-verify", services.settings.rates.verify);
    const { token, companyId } = readLinkFields(c.req.query("token"), c.req.query("company_id"));
    state = await readLink(services, companyId, token);
    const request = requireLiveLink(services, state);
    const csrf = prepareCsrf(c.req.raw);
    const page = await confirmationPage({
      language: pageLanguage(request.language, c.req.header("accept-language")),
      company: state.company?.name ?? "",
      address: request.email,
      companyId,
      token,
      csrf: csrf.token,
      redirectIsHttp: request.redirect_to.startsWith("http:"),
    });
    page.headers.append("set-cookie", csrf.cookie);
    return page;
  } catch (error) {
    if (!(error instanceof Problem) || !wantsHtml(c.req.raw)) throw error;
    return refusalPage(c, error, state);
  }
}

async function verify(c: IdentityContext): Promise<Response> {
  const type = mediaTypeOf(c.req.raw);
  // No media type is read as JSON (details 1.1).
  if (type === "application/json" || type === "") return verifyJson(c);
  if (isForm(type)) return verifyForm(c);
  await limitByIp(c.get("services"), c.req.raw, "magic-link-verify", c.get("services").settings.rates.verify);
  throw new Problem("unsupported_media_type");
}

/** The body with the company that the query names: 400 when it is none, or another than the body's (details 1.2). */
function withCompany(query: string | undefined, body: Record<string, unknown>): Record<string, unknown> {
  return query === undefined ? body : { ...body, company_id: companyScope({ query, body: body.company_id }) };
}

async function verifyJson(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  await limitByIp(services, c.req.raw, "magic-link-verify", services.settings.rates.verify);
  const body = withCompany(c.req.query("company_id"), await readJson(c.req.raw));
  const client = clientContext(c.req.raw, clientIpKey(c.req.raw));
  let state: LinkState | null = null;
  try {
    const isCode = body.code !== undefined && body.token === undefined;
    const fields = isCode ? parse(consumeCodeSchema, body) : parse(consumeTokenSchema, body);
    state =
      "code" in fields
        ? await readCode(services, { companyId: fields.company_id, email: fields.email, code: fields.code })
        : await readLink(services, fields.company_id, fields.token);
    const request = requireLiveLink(services, state, isCode ? "sign_in_code_invalid" : "magic_link_invalid");
    await checkVerifier(request.code_challenge, fields.code_verifier ?? undefined);
    if (!state.company) throw new Problem("magic_link_disabled");
    const decision = await decideAccess(services, { ...state, company: state.company }, request);
    if (decision.access !== "allowed") throw new Problem(`access_${decision.access}`);
    return c.json(await consumeForSession(services, request, client));
  } catch (error) {
    if (error instanceof Problem && state)
      recordFailure(services, client, { ...state, reason: error.code, provider: "magic_link" });
    throw error;
  }
}

/** Form mode never answers raw JSON: every refusal is a page or a redirect. */
async function verifyForm(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const client = clientContext(c.req.raw, clientIpKey(c.req.raw));
  let state: LinkState | null = null;
  try {
    await limitByIp(services, c.req.raw, "magic-link-verify", services.settings.rates.verify);
    const form = await readForm(c.req.raw);
    const { token, companyId } = readLinkFields(form.get("token"), form.get("company_id") ?? c.req.query("company_id"));
    const inQuery = c.req.query("company_id");
    if (inQuery !== undefined && inQuery !== String(companyId)) throw invalid({ company_id: ["mismatch"] });
    checkCsrf(c.req.raw, form.get("csrf_token") ?? "");
    state = await readLink(services, companyId, token);
    const request = requireLiveLink(services, state);
    if (!isRedirectStillAllowed(services, state, request.redirect_to)) throw new Problem("redirect_not_allowed");
    if (!state.company) throw new Problem("magic_link_disabled");
    const target = requireRedirect(request.redirect_to);
    const decision = await decideAccess(services, { ...state, company: state.company }, request);
    if (decision.access !== "allowed") {
      const code = `access_${decision.access}`;
      recordFailure(services, client, { ...state, reason: code, provider: "magic_link" });
      return redirectTo(errorLocation(target, code, refusalSentence(code)));
    }
    if (request.token_delivery === "code")
      return redirectTo(codeLocation(target, await consumeForCode(services, request, client)));
    return redirectTo(fragmentLocation(target, await consumeForSession(services, request, client)));
  } catch (error) {
    const problem = asProblem(services, error);
    if (state) recordFailure(services, client, { ...state, reason: problem.code, provider: "magic_link" });
    return refusalPage(c, problem, state);
  }
}
