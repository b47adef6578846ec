import type { PageLanguage } from "../../../kit/http/request/page-language";
import { findCompanyName } from "../../company/company/company";
import { parseRedirect } from "../../company/redirects/redirect-target";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { checkCsrf } from "../completion/csrf";
import { statusOf } from "../completion/page-answer";
import { MAX_CODE_TRIES } from "../link-requests/magic-link";
import { describeLifetime } from "../link-requests/magic-link-mail";
import { type CodePageProblem, codePage } from "./code-page.present";

/** Fields of a link request that the page carries on, so that the same mail can be asked for again. */
const CARRIED = [
  "company_id",
  "redirect_to",
  "client_timezone",
  "client_device_id",
  "token_delivery",
  "code_challenge",
  "code_challenge_method",
];

/** A post of a form of ours: what it says, and in which language. */
export type FormPost = { request: Request; form: URLSearchParams; language: PageLanguage };

type Shown = { company?: string; problem?: CodePageProblem | null; tries?: number; requestedAt?: number };

/**
 * The page after a link request. Since when and how often codes were tried here is told by the form alone: what the rows say
 * of other browsers' requests for the address is nobody's business.
 */
export function showCodePage(services: IdentityServices, post: FormPost, shown: Shown): Promise<Response> {
  const { settings, clock } = services;
  const { form, language, request } = post;
  const { company = "", problem = null, tries = 0, requestedAt = clock.now() } = shown;
  const up = new URL(request.url).pathname.endsWith("/") ? "../" : "";
  const carried = carriedOf(form);
  const address = addressOf(form);
  // The code of a mail that was just sent is another one.
  const typed = problem === null ? "" : (form.get("code") ?? "");
  return codePage({
    language,
    company,
    address,
    problem,
    typed,
    hasCode: settings.signInCode,
    lifetime: describeLifetime(settings.magicLinkMs, language),
    hidden: [
      ...carried,
      ["email", address],
      ["language", language],
      ["csrf_token", form.get("csrf_token") ?? ""],
      ["asked_at", String(requestedAt)],
      ["tries", String(tries)],
    ],
    paths: {
      verify: `${up}verify`,
      request: `${up}request`,
      authorize: `${up}../authorize?${new URLSearchParams(carried)}`,
    },
    isSentAgain: form.has("again"),
    redirectIsHttp: parseRedirect(form.get("redirect_to") ?? "")?.protocol === "http:",
  });
}

/** The page again with what was refused, as far as it can be mended there by the person who posted it; else null. */
export async function showCodeRefusal(
  services: IdentityServices,
  post: FormPost,
  problem: Problem,
  companyName: string | null,
): Promise<Response | null> {
  const { form, request } = post;
  const seen = { tries: numberOf(form, "tries"), requestedAt: numberOf(form, "asked_at") };
  const tries = seen.tries + (problem.code === "sign_in_code_invalid" ? 1 : 0);
  const pageProblem = pageProblemOf(services, post, problem, { ...seen, tries });
  if (pageProblem === null || !isCsrfValid(services, request, form)) return null;
  const company = companyName ?? (await nameOf(services, form));
  return showCodePage(services, post, { company, tries, requestedAt: seen.requestedAt, problem: pageProblem });
}

function pageProblemOf(
  services: IdentityServices,
  { form }: FormPost,
  problem: Problem,
  { tries, requestedAt }: { tries: number; requestedAt: number },
): CodePageProblem | null {
  const { code, options } = problem;
  const { requestId, clock, settings } = services;
  const known = { code, status: statusOf(problem), requestId };
  const waitSeconds = Number(options.headers?.["retry-after"] ?? 0);
  if (code === "rate_limited") {
    return { ...known, at: "page", words: form.has("again") ? "tooManyMails" : "tooManyTries", waitSeconds };
  }
  if (code === "service_unavailable") return { ...known, at: "page", words: "unavailable", waitSeconds };
  if (code === "validation_failed" && options.field_errors?.code) return { ...known, at: "code", words: "missing" };
  if (code !== "sign_in_code_invalid") return null;
  const isOver = requestedAt + settings.magicLinkMs <= clock.now();
  return { ...known, at: "code", words: isOver ? "expired" : tries >= MAX_CODE_TRIES ? "exhausted" : "wrong" };
}

/** What a form says of the link request, without the address. */
export function carriedOf(form: URLSearchParams): [string, string][] {
  return CARRIED.flatMap((name): [string, string][] => {
    const value = form.get(name);
    return value ? [[name, value]] : [];
  });
}

/** Whether one of our pages has posted the form: only to those their own words are shown again. */
export function isCsrfValid(services: IdentityServices, request: Request, form: URLSearchParams): boolean {
  try {
    checkCsrf(services, request, form.get("csrf_token") ?? "");
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** The name of the company that the form names; empty when it cannot be read. */
async function nameOf(services: IdentityServices, form: URLSearchParams): Promise<string> {
  const id = numberOf(form, "company_id");
  if (id === 0) return "";
  const found = await findCompanyName(services, id).catch(() => null);
  return found?.name ?? "";
}

const addressOf = (form: URLSearchParams) => (form.get("email") ?? "").trim().toLowerCase().slice(0, 254);

function numberOf(form: URLSearchParams, name: string): number {
  const text = form.get(name) ?? "";
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
}
