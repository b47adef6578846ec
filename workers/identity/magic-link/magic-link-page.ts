import { identityErrors } from "../../../schemas/identity/errors";
import { readForm } from "../../kit/http/request/form";
import { pageLanguage } from "../../kit/http/request/page-language";
import { invalid } from "../../kit/problem";
import { recordFailure } from "../audit/login-failure";
import { clientContext } from "../caller/client-context";
import { besideLimit, limitByIp } from "../caller/limits";
import { Problem } from "../problem";
import { requireRedirect } from "../redirects/redirect-target";
import type { IdentityServices } from "../services";
import { checkCsrf, prepareCsrf } from "../sign-in/csrf";
import { codeLocation, errorLocation, fragmentLocation } from "../sign-in/delivery";
import { asProblem, redirectTo, wantsHtml } from "../sign-in/page-answer";
import { decideAccess, isRedirectStillAllowed, type LinkState, readLink, requireLiveLink } from "./magic-link";
import { confirmationPage, problemPage, refusalSentence } from "./magic-link.present";
import { consumeForCode, consumeForSession } from "./magic-link-use";

/** What the query of a link says, as text. */
type LinkQuery = { token: string | undefined; company_id: string | undefined };

/** `token` and `company_id` of a query or form, both text. */
function readLinkFields(token: string | null | undefined, companyId: string | null | undefined) {
  if (!token) throw invalid({ token: ["required"] });
  if (token.length > 128) throw invalid({ token: ["too_long"] });
  if (!companyId) throw invalid({ company_id: ["required"] });
  if (!/^[1-9][0-9]{0,14}$/.test(companyId)) throw invalid({ company_id: ["invalid"] });
  return { token, companyId: Number(companyId) };
}

const languageOf = (request: Request, state: LinkState | null) =>
  pageLanguage(state?.request?.language ?? null, request.headers.get("accept-language"));

/** A refusal as a page, with a way to a new link when the state names one. */
function refusalPage(
  { requestId }: IdentityServices,
  request: Request,
  problem: Problem,
  state: LinkState | null,
): Promise<Response> {
  const entry = identityErrors[problem.code as keyof typeof identityErrors];
  const origin = state?.request ? new URL(state.request.redirect_to).origin : state?.oldestOrigin;
  const { headers } = problem.options;
  return problemPage({
    language: languageOf(request, state),
    code: problem.code,
    requestId,
    company: state?.company?.name ?? "",
    status: entry.status,
    loginUrl: origin ? `${origin}/login` : null,
    ...(headers ? { headers } : {}),
  });
}

/** The page on which a person confirms a link; it never uses the link up. */
export async function showConfirmation(
  services: IdentityServices,
  request: Request,
  query: LinkQuery,
): Promise<Response> {
  let state: LinkState | null = null;
  try {
    const limit = limitByIp(services, request, "magic-link-verify", services.settings.rates.verify);
    const { token, companyId, link } = await besideLimit(limit, async () => {
      const fields = readLinkFields(query.token, query.company_id);
      return { ...fields, link: await readLink(services, fields.companyId, fields.token) };
    });
    state = link;
    const row = requireLiveLink(services, state);
    const csrf = prepareCsrf(request);
    const page = await confirmationPage({
      language: languageOf(request, state),
      company: state.company?.name ?? "",
      address: row.email,
      companyId,
      token,
      csrf: csrf.token,
      redirectIsHttp: row.redirect_to.startsWith("http:"),
    });
    page.headers.append("set-cookie", csrf.cookie);
    return page;
  } catch (error) {
    if (!(error instanceof Problem) || !wantsHtml(request)) throw error;
    return refusalPage(services, request, error, state);
  }
}

/** Uses a link up by the form of that page; it never answers raw JSON: every refusal is a page or a redirect. */
export async function verifyForm(services: IdentityServices, request: Request, query: LinkQuery): Promise<Response> {
  const client = clientContext(request);
  let state: LinkState | null = null;
  try {
    const limit = limitByIp(services, request, "magic-link-verify", services.settings.rates.verify);
    state = await besideLimit(limit, async () => {
      const form = await readForm(request);
      const { token, companyId } = readLinkFields(form.get("token"), form.get("company_id") ?? query.company_id);
      if (query.company_id !== undefined && query.company_id !== String(companyId)) {
        throw invalid({ company_id: ["mismatch"] });
      }
      checkCsrf(request, form.get("csrf_token") ?? "");
      return readLink(services, companyId, token);
    });
    const row = requireLiveLink(services, state);
    if (!isRedirectStillAllowed(services, state, row.redirect_to)) throw new Problem("redirect_not_allowed");
    if (!state.company) throw new Problem("magic_link_disabled");
    const target = requireRedirect(row.redirect_to);
    const decision = await decideAccess(services, { ...state, company: state.company }, row);
    if (decision.access !== "allowed") {
      const code = `access_${decision.access}`;
      recordFailure(services, client, { ...state, reason: code, provider: "magic_link" });
      return redirectTo(errorLocation(target, code, refusalSentence(code)));
    }
    const used = { request: row, person: state.person };
    if (row.token_delivery === "code") {
      return redirectTo(codeLocation(target, await consumeForCode(services, used, client)));
    }
    return redirectTo(fragmentLocation(target, await consumeForSession(services, used, client)));
  } catch (error) {
    const problem = asProblem(services, error);
    if (state) recordFailure(services, client, { ...state, reason: problem.code, provider: "magic_link" });
    return refusalPage(services, request, problem, state);
  }
}
