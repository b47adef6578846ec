import type { CompanyRow } from "../../../../db/identity/schema";
import { readForm } from "../../../kit/http/request/form";
import { type PageLanguage, pageLanguage } from "../../../kit/http/request/page-language";
import { parseRedirect } from "../../company/redirects/redirect-target";
import type { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { checkCsrf } from "../completion/csrf";
import { asProblem, signInProblem, statusOf } from "../completion/page-answer";
import type { FormProblem } from "../completion/sign-in-page";
import { readSignInMethods, type SignInMethods } from "../oauth/authorize";
import { choicePage } from "../oauth/choice";
import { type FormPost, forwardedFieldsOf, isCsrfValid, showCodePage, showCodeRefusal } from "./code-page";

/** Validates and stores a link request. `read` returns the fields of the request; `confirm` checks the form's CSRF token. */
export type AcceptRequest = (
  read: () => Promise<Record<string, unknown>>,
  confirm: () => void,
) => Promise<{ company: CompanyRow; cookie: string | null }>;

/**
 * Returns the language of a language tag: `fr`, `fr-FR` and `FR_ca` are `fr`. Returns null for other languages than English
 * and French.
 */
export function languageOf(tag: string | null | undefined): PageLanguage | null {
  const primary = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return primary === "en" || primary === "fr" ? primary : null;
}

/** Handles the form of the sign-in page and the resend button of the code page. Always responds with a page. */
export async function handleLinkForm(
  services: IdentityServices,
  request: Request,
  accept: AcceptRequest,
): Promise<Response> {
  const accepted = request.headers.get("accept-language");
  const post: FormPost = { request, form: new URLSearchParams(), language: pageLanguage(null, accepted) };
  const readFields = async () => {
    post.form = await readForm(request);
    post.language = languageOf(post.form.get("language")) ?? post.language;
    const { company_id: company, ...fields } = Object.fromEntries(post.form);
    // Form values are text, but the schema expects the company id as an integer.
    const companyId =
      company === undefined ? {} : { company_id: /^[0-9]{1,15}$/.test(company) ? Number(company) : company };
    return { ...fields, ...companyId };
  };
  // Starts to read the form at once, because the page of a rejection shows the typed values even if `accept` throws before
  // it reads them.
  const fields = readFields();
  fields.catch(() => undefined);
  try {
    const { company, cookie } = await accept(
      () => fields,
      () => checkCsrf(services, request, post.form.get("csrf_token") ?? ""),
    );
    const page = await showCodePage(services, post, { company });
    if (cookie !== null) page.headers.append("set-cookie", cookie);
    return page;
  } catch (error) {
    const problem = asProblem(services, error);
    await fields.catch(() => undefined);
    const formPage = post.form.has("again")
      ? await showCodeRefusal(services, post, problem, null)
      : await showFormRefusal(services, post, problem);
    return formPage ?? signInProblem(services, post.language, problem);
  }
}

/** Returns the sign-in page with the typed values if the user can correct them or try again later, else null. */
async function showFormRefusal(
  services: IdentityServices,
  { form, language, request }: FormPost,
  problem: Problem,
): Promise<Response | null> {
  const { headers = {}, field_errors: fields = {} } = problem.options;
  const isAddress = problem.code === "validation_failed" && Object.keys(fields).join() === "email";
  if (!(isAddress || ["rate_limited", "service_unavailable"].includes(problem.code))) return null;
  const target = parseRedirect(form.get("redirect_to") ?? "");
  if (!target || !isCsrfValid(services, request, form)) return null;
  const methods: SignInMethods = await readSignInMethods(services, Number(form.get("company_id")), target.origin).catch(
    () => ({ company: null, isListed: false, clients: [] }),
  );
  const { requestId } = services;
  const pageProblem: FormProblem = { code: problem.code, status: statusOf(problem), requestId, headers, isAddress };
  const parentPath = new URL(request.url).pathname.endsWith("/") ? "../" : "";
  return choicePage(services, {
    language,
    methods,
    forwardedFields: forwardedFieldsOf(form),
    csrfToken: form.get("csrf_token") ?? "",
    paths: { authorize: `${parentPath}../authorize`, request: `${parentPath}request` },
    redirectIsHttp: target.protocol === "http:",
    typed: { email: form.get("email") ?? "", problem: pageProblem },
  });
}
