import { consumeCodeSchema } from "../../../../schemas/identity/sign-in/magic-link";
import { companyScope } from "../../../kit/http/request/company-scope";
import { readForm } from "../../../kit/http/request/form";
import { pageLanguage, requestLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { parse } from "../../../kit/http/request/parse";
import type { PageLook } from "../../../kit/pages/company-look";
import { otherLanguageUrl } from "../../../kit/pages/page";
import { invalid } from "../../../kit/problem";
import { type ClientContext, clientContext } from "../../caller/client/client-context";
import { limitByIp, runConcurrentlyWithLimit } from "../../caller/client/limits";
import { readPageLook } from "../../company/page-look/page-look";
import { requireRedirect } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import { recordFailure } from "../../records/audit/login-failure";
import type { IdentityServices } from "../../services";
import { checkCsrf, prepareCsrf } from "../completion/csrf";
import { codeLocation, errorLocation, fragmentLocation } from "../completion/delivery";
import { asProblem, redirectTo, statusOf } from "../completion/page-answer";
import {
  decideAccess,
  isRedirectStillAllowed,
  type LinkState,
  readCode,
  readLink,
  requireLiveLink,
} from "../link-requests/magic-link";
import { consumeForCode, consumeForSession } from "../link-requests/magic-link-consumption";
import { showCodeRefusal } from "./code-page";
import { confirmationPage, problemPage, refusalSentence } from "./magic-link.present";
import { isSameBrowser } from "./requesting-browser";

/** The query parameters of a link, as text. */
type LinkQuery = { token: string | undefined; company_id: string | undefined };

/** Validates the `token` and `company_id` of a query or form. Throws 400 for a missing or malformed value. */
function readLinkFields(token: string | null | undefined, companyId: string | null | undefined) {
  if (!token) throw invalid({ token: ["required"] });
  if (token.length > 128) throw invalid({ token: ["too_long"] });
  if (!companyId) throw invalid({ company_id: ["required"] });
  if (!/^[1-9][0-9]{0,14}$/.test(companyId)) throw invalid({ company_id: ["invalid"] });
  return { token, companyId: Number(companyId) };
}

const languageOf = (request: Request, state: LinkState | null) =>
  requestLanguage(request, state?.request?.language ?? null);

const lookOf = async (services: IdentityServices, state: LinkState | null): Promise<PageLook> =>
  state?.company ? readPageLook(services, state.company.id) : {};

/**
 * Returns the error page of a rejection. The page links to the sign-in of the application, if its origin is known, so that
 * the user can request a new link.
 */
async function refusalPage(
  services: IdentityServices,
  request: Request,
  problem: Problem,
  state: LinkState | null,
): Promise<Response> {
  const requestedRedirect = state?.request?.redirect_to;
  // Users must not be sent to an origin that is no longer on the allowlist.
  const isAllowed =
    state && requestedRedirect !== undefined && isRedirectStillAllowed(services, state, requestedRedirect);
  const origin = isAllowed ? new URL(requestedRedirect).origin : state?.oldestOrigin;
  const { headers } = problem.options;
  const language = languageOf(request, state);
  return problemPage({
    language,
    // A link cannot repeat a form.
    otherLanguageUrl: request.method === "GET" ? otherLanguageUrl(request, language) : undefined,
    code: problem.code,
    requestId: services.requestId,
    company: state?.company?.name ?? "",
    look: await lookOf(services, state),
    status: statusOf(problem),
    loginUrl: origin ? `${origin}/login` : null,
    ...(headers ? { headers } : {}),
  });
}

/** Returns the page on which a user confirms a sign-in by link. Showing the page never consumes the link. */
export async function showConfirmation(
  services: IdentityServices,
  request: Request,
  query: LinkQuery,
): Promise<Response> {
  let state: LinkState | null = null;
  try {
    const limit = limitByIp(services, request, "magic-link-verify", services.settings.rates.verify);
    const { token, companyId, link } = await runConcurrentlyWithLimit(limit, async () => {
      const fields = readLinkFields(query.token, query.company_id);
      return { ...fields, link: await readLink(services, fields.companyId, fields.token) };
    });
    state = link;
    const row = requireLiveLink(services, state);
    const csrf = prepareCsrf(services, request);
    const language = languageOf(request, state);
    const page = await confirmationPage({
      language,
      otherLanguageUrl: otherLanguageUrl(request, language),
      company: state.company?.name ?? "",
      look: await lookOf(services, state),
      address: row.email,
      companyId,
      token,
      csrf: csrf.token,
      redirectIsHttp: row.redirect_to.startsWith("http:"),
      requestFacts: {
        requestedAt: row.created_at,
        now: services.clock.now(),
        timezone: row.client_timezone,
        from: (await isSameBrowser(services, request, row.asked_from)) ? "here" : row.asked_from,
      },
    });
    page.headers.append("set-cookie", csrf.cookie);
    return page;
  } catch (error) {
    if (!(error instanceof Problem) || !wantsHtml(request)) throw error;
    return refusalPage(services, request, error, state);
  }
}

/** Handles the form of the confirmation page or of the code page. Always responds with a page or a redirect. */
export async function verifyForm(services: IdentityServices, request: Request, query: LinkQuery): Promise<Response> {
  const limit = limitByIp(services, request, "magic-link-verify", services.settings.rates.verify);
  // The limit is awaited after the form is read, because the form determines which page shows a rejection.
  limit.catch(() => undefined);
  const read = readForm(request);
  const form = await read.catch(() => null);
  const checks = { limit, query, read };
  return form?.has("email") && !form.has("token")
    ? verifyTypedCode(services, { ...checks, request, form })
    : verifyLink(services, request, checks);
}

type FormChecks = { limit: Promise<void>; query: LinkQuery; read: Promise<URLSearchParams> };

/** Consumes the link in a form and redirects to the application. A rejection becomes a page or a redirect. */
async function verifyLink(services: IdentityServices, request: Request, checks: FormChecks): Promise<Response> {
  const client = clientContext(request);
  let state: LinkState | null = null;
  try {
    state = await runConcurrentlyWithLimit(checks.limit, async () => {
      const form = await checks.read;
      const { token, companyId } = readLinkFields(form.get("token"), form.get("company_id") ?? checks.query.company_id);
      requireSameCompany(checks.query, companyId);
      checkCsrf(services, request, form.get("csrf_token") ?? "");
      return readLink(services, companyId, token);
    });
    return await followLink(services, client, state, "magic_link_invalid");
  } catch (error) {
    const problem = asProblem(services, error);
    if (state) recordFailure(services, client, { ...state, reason: problem.code, provider: "magic_link" });
    return refusalPage(services, request, problem, state);
  }
}

/** Like verifyLink, for a typed code. Problems that the user can solve are shown on the code page. */
async function verifyTypedCode(
  services: IdentityServices,
  { limit, query, request, form }: FormChecks & { request: Request; form: URLSearchParams },
): Promise<Response> {
  const client = clientContext(request);
  let state: LinkState | null = null;
  try {
    const fields = await runConcurrentlyWithLimit(limit, async () => {
      checkCsrf(services, request, form.get("csrf_token") ?? "");
      const companyId = companyScope({ query: form.get("company_id") ?? "" });
      requireSameCompany(query, companyId);
      const { email, code } = Object.fromEntries(form);
      return parse(consumeCodeSchema, { email, code: code ?? "", company_id: companyId });
    });
    state = await readCode(services, { ...fields, companyId: fields.company_id }, { isForm: true });
    return await followLink(services, client, state, "sign_in_code_invalid");
  } catch (error) {
    const problem = asProblem(services, error);
    if (state) recordFailure(services, client, { ...state, reason: problem.code, provider: "magic_link" });
    const post = {
      request,
      form,
      language: pageLanguage(form.get("language"), request.headers.get("accept-language")),
    };
    const codePage = await showCodeRefusal(services, post, problem, state?.company ?? null);
    return codePage ?? refusalPage(services, request, problem, state);
  }
}

/** Throws 400 when query and form name different companies. */
function requireSameCompany({ company_id: queryCompanyId }: LinkQuery, companyId: number): void {
  if (queryCompanyId !== undefined && queryCompanyId !== String(companyId)) throw invalid({ company_id: ["mismatch"] });
}

/**
 * Consumes the sign-in request and redirects to the application with an auth code or tokens. When the join rules reject the
 * user, redirects with the error code instead and consumes nothing.
 */
async function followLink(
  services: IdentityServices,
  client: ClientContext,
  state: LinkState,
  invalidCode: "magic_link_invalid" | "sign_in_code_invalid",
): Promise<Response> {
  const row = requireLiveLink(services, state, invalidCode);
  if (!isRedirectStillAllowed(services, state, row.redirect_to)) throw new Problem("redirect_not_allowed");
  if (!state.company) throw new Problem("magic_link_disabled");
  const target = requireRedirect(row.redirect_to);
  const decision = await decideAccess(services, { ...state, company: state.company }, row);
  if (decision.access !== "allowed") {
    const code = `access_${decision.access}`;
    recordFailure(services, client, { ...state, reason: code, provider: "magic_link" });
    return redirectTo(errorLocation(target, code, refusalSentence(code)));
  }
  const link = { request: row, user: state.user, company: state.company, invitation: decision.invitation };
  if (row.token_delivery === "code") {
    return redirectTo(codeLocation(target, await consumeForCode(services, link, client)));
  }
  return redirectTo(fragmentLocation(target, await consumeForSession(services, link, client)));
}
