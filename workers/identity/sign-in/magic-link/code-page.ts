import type { CompanyRow } from "../../../../db/identity/schema";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import { findCompanyName } from "../../company/company/company";
import { readPageLook } from "../../company/page-look/page-look";
import { parseRedirect } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { checkCsrf } from "../completion/csrf";
import { statusOf } from "../completion/page-answer";
import { MAX_CODE_TRIES } from "../link-requests/magic-link";
import { describeLifetime } from "../link-requests/magic-link-mail";
import { type CodePageProblem, codePage } from "./code-page.present";

/** The fields of a link request that the page carries in hidden fields, so that the user can request the same mail again. */
const FORWARDED_FIELDS = [
  "company_id",
  "redirect_to",
  "client_timezone",
  "client_device_id",
  "token_delivery",
  "code_challenge",
  "code_challenge_method",
];

/** A posted form with its request and language. */
export type FormPost = { request: Request; form: URLSearchParams; language: PageLanguage };

type CodePageState = {
  company: Pick<CompanyRow, "id" | "name"> | null;
  problem?: CodePageProblem | null;
  tries?: number;
  requestedAt?: number;
};

/**
 * Returns the page that follows a link request. The request time and the number of attempts come from the form only, because
 * the stored rows could reveal that another browser requested a link for the address.
 */
export async function showCodePage(
  services: IdentityServices,
  post: FormPost,
  state: CodePageState,
): Promise<Response> {
  const { settings, clock } = services;
  const { form, language, request } = post;
  const { company, problem = null, tries = 0, requestedAt = clock.now() } = state;
  const parentPath = new URL(request.url).pathname.endsWith("/") ? "../" : "";
  const forwardedFields = forwardedFieldsOf(form);
  const address = addressOf(form);
  // After a new mail was sent, the page drops the typed code, because the new mail has a different one.
  const typed = problem === null ? "" : (form.get("code") ?? "");
  return codePage({
    language,
    company: company?.name ?? "",
    look: company === null ? {} : await readPageLook(services, company.id),
    address,
    problem,
    typed,
    hasCode: settings.signInCode,
    lifetime: describeLifetime(settings.magicLinkMs, language),
    hidden: [
      ...forwardedFields,
      ["email", address],
      ["language", language],
      ["csrf_token", form.get("csrf_token") ?? ""],
      ["asked_at", String(requestedAt)],
      ["tries", String(tries)],
    ],
    paths: {
      verify: `${parentPath}verify`,
      request: `${parentPath}request`,
      authorize: `${parentPath}../authorize?${new URLSearchParams([...forwardedFields, ["language", language]])}`,
    },
    isSentAgain: form.has("again"),
    redirectIsHttp: parseRedirect(form.get("redirect_to") ?? "")?.protocol === "http:",
  });
}

/**
 * Returns the code page with the problem. Returns null when the user cannot solve the problem there, or when the form was not
 * posted from one of our pages.
 */
export async function showCodeRefusal(
  services: IdentityServices,
  post: FormPost,
  problem: Problem,
  storedCompany: CodePageState["company"],
): Promise<Response | null> {
  const { form, request } = post;
  const posted = { tries: numberOf(form, "tries"), requestedAt: numberOf(form, "asked_at") };
  const tries = posted.tries + (problem.code === "sign_in_code_invalid" ? 1 : 0);
  const pageProblem = pageProblemOf(services, post, problem, { ...posted, tries });
  if (pageProblem === null || !isCsrfValid(services, request, form)) return null;
  const company = storedCompany ?? (await companyOf(services, form));
  return showCodePage(services, post, { company, tries, requestedAt: posted.requestedAt, problem: pageProblem });
}

function pageProblemOf(
  services: IdentityServices,
  { form }: FormPost,
  problem: Problem,
  { tries, requestedAt }: { tries: number; requestedAt: number },
): CodePageProblem | null {
  const { code, options } = problem;
  const { requestId, clock, settings } = services;
  const common = { code, status: statusOf(problem), requestId };
  const waitSeconds = Number(options.headers?.["retry-after"] ?? 0);
  if (code === "rate_limited") {
    return { ...common, at: "page", textKey: form.has("again") ? "tooManyMails" : "tooManyTries", waitSeconds };
  }
  if (code === "service_unavailable") return { ...common, at: "page", textKey: "unavailable", waitSeconds };
  if (code === "validation_failed" && options.field_errors?.code) return { ...common, at: "code", textKey: "missing" };
  if (code !== "sign_in_code_invalid") return null;
  const isExpired = requestedAt + settings.magicLinkMs <= clock.now();
  return { ...common, at: "code", textKey: isExpired ? "expired" : tries >= MAX_CODE_TRIES ? "exhausted" : "wrong" };
}

/** Returns the fields of the link request in a form, without the address. */
export function forwardedFieldsOf(form: URLSearchParams): [string, string][] {
  return FORWARDED_FIELDS.flatMap((name): [string, string][] => {
    const value = form.get(name);
    return value ? [[name, value]] : [];
  });
}

/** Returns whether the form was posted from one of our pages. Only then may a page repeat its input. */
export function isCsrfValid(services: IdentityServices, request: Request, form: URLSearchParams): boolean {
  try {
    checkCsrf(services, request, form.get("csrf_token") ?? "");
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Returns the form's company, or null when it cannot be read. */
async function companyOf(services: IdentityServices, form: URLSearchParams): Promise<CodePageState["company"]> {
  const id = numberOf(form, "company_id");
  return id === 0 ? null : findCompanyName(services, id).catch(() => null);
}

const addressOf = (form: URLSearchParams) => (form.get("email") ?? "").trim().toLowerCase().slice(0, 254);

function numberOf(form: URLSearchParams, name: string): number {
  const text = form.get(name) ?? "";
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}
