import * as z from "zod";
import {
  publicKeyParams,
  signUpQuery,
  signUpResponseSchema,
  signUpSchema,
} from "../../../../schemas/email/audience/sign-up";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { emailErrors } from "../../../../schemas/email/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { builtSchema, jsonResponse, media, problemResponses } from "../../../kit/http/openapi/responses";
import { isForm, mediaTypeOf } from "../../../kit/http/request/form";
import { choosePageLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { Problem as AnyProblem } from "../../../kit/problem";
import type { EmailContext, EmailService } from "../../http";
import type { ErrorCode, Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { isPublicKey, languageOf, originsOfList, requireList, type SignUpList, signUp } from "./sign-up";
import { readSignUp, type SignUpInput } from "./sign-up-input";
import { sentPage, signUpForm, signUpPage, signUpPageUrl, unknownListPage } from "./sign-up-page.present";

const PATH = "/api/v1/public/newsletters/{public_key}";
const tags = ["Newsletter sign-up"];
const text = lazySchema(() => z.string());
const page = { "text/html": media(text) };
const PUBLIC_ERRORS: ErrorCode[] = ["newsletter_not_found", "rate_limited", "service_unavailable"];
const request = () => ({ params: builtSchema(publicKeyParams), query: builtSchema(signUpQuery) });

const originsOf = (services: EmailServices, path: string, preflight: Request) =>
  originsOfList(services, preflight, /\/newsletters\/([^/]+)/.exec(path)?.[1] ?? "");

/** `/api/v1/public/newsletters/{public_key}`: the sign-up page of a newsletter, the form to paste, and the sign-up. */
export function mountSignUp({ route }: EmailService): void {
  route(
    {
      method: "get",
      path: PATH,
      tags,
      security: [],
      summary: "Show the sign-up page of a newsletter",
      describe: () => ({
        request: request(),
        responses: {
          200: { description: "Page with the form, English or French", content: page },
          404: { description: "No newsletter has this public key", content: page },
          ...problemResponses(emailErrors, ["rate_limited", "service_unavailable"]),
        },
      }),
    },
    showPage,
    { isPage: true },
  );
  route(
    {
      method: "get",
      path: `${PATH}/form`,
      tags,
      security: [],
      summary: "Get the HTML of a sign-up form to paste into a site",
      describe: () => ({
        request: request(),
        responses: {
          200: { description: "HTML of the form, as text", content: { "text/plain": media(text) } },
          ...problemResponses(emailErrors, PUBLIC_ERRORS),
        },
      }),
    },
    showForm,
    { origins: originsOf },
  );
  route(
    {
      method: "get",
      path: `${PATH}/subscribe`,
      tags,
      security: [],
      summary: "Redirect to the sign-up page, for browsers that open the address of the form",
      describe: () => ({
        request: request(),
        responses: {
          302: { description: "To the sign-up page" },
          404: { description: "Not a public key", content: page },
          ...problemResponses(emailErrors, ["service_unavailable"]),
        },
      }),
    },
    redirectToPage,
    { isPage: true },
  );
  route(
    {
      method: "post",
      path: `${PATH}/subscribe`,
      tags,
      security: [],
      summary: "Sign an address up; the response is the same for every address",
      describe: () => ({
        request: {
          params: builtSchema(publicKeyParams),
          body: {
            required: true,
            content: {
              "application/json": media(signUpSchema),
              "application/x-www-form-urlencoded": media(signUpSchema),
            },
          },
        },
        responses: {
          200: { description: "Page for browsers that post a form: a mail is on its way", content: page },
          202: jsonResponse(
            signUpResponseSchema,
            "Accepted; a mail asks for the confirmation, if the address needs one",
          ),
          ...problemResponses(emailErrors, [
            ...PUBLIC_ERRORS,
            "origin_not_allowed",
            "validation_failed",
            "payload_too_large",
            "unsupported_media_type",
            "turnstile_failed",
            "turnstile_unavailable",
            "newsletter_unavailable",
            "company_rate_limited",
            "library_not_synced",
          ]),
        },
      }),
    },
    subscribe,
    { origins: originsOf },
  );
}

const keyOf = (c: EmailContext): string => c.req.param("public_key") ?? "";

/** Returns the language in the query; null for another or none. */
function chosenLanguage(c: EmailContext): EmailLanguage | null {
  const chosen = c.req.query("language");
  return chosen === "en" || chosen === "fr" ? chosen : null;
}

/** Returns the language of a page: that of the query, or that of the browser, or that of the newsletter. */
const pageLanguageOf = (c: EmailContext, list: SignUpList): EmailLanguage =>
  languageOf(c.req.raw, { language: chosenLanguage(c) }, list);

async function showPage(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  try {
    const list = await requireList(services, c.req.raw, keyOf(c));
    return await signUpPage(list, pageLanguageOf(c, list), services.settings);
  } catch (error) {
    if (!(error instanceof AnyProblem) || error.code !== "newsletter_not_found") throw error;
    return showUnknown(c);
  }
}

const showUnknown = (c: EmailContext): Promise<Response> =>
  unknownListPage(chosenLanguage(c) ?? choosePageLanguage(c.req.header("accept-language")));

/** A reload after a sign-up and the `subscribe_url` of a newsletter lead here. Reads nothing. */
async function redirectToPage(c: EmailContext): Promise<Response> {
  if (!isPublicKey(keyOf(c))) return showUnknown(c);
  const location = signUpPageUrl(c.get("services").settings, keyOf(c), chosenLanguage(c));
  return new Response(null, { status: 302, headers: { location, "referrer-policy": "no-referrer" } });
}

async function showForm(c: EmailContext): Promise<Response> {
  c.set("origins", null);
  const services = c.get("services");
  const list = await requireList(services, c.req.raw, keyOf(c));
  c.set("origins", list.newsletter.allowed_origins);
  return c.text(signUpForm(list, pageLanguageOf(c, list), services.settings));
}

/** Responds with JSON, or with a page to browsers that post a form. */
async function subscribe(c: EmailContext): Promise<Response> {
  c.set("origins", null);
  const { raw } = c.req;
  const services = c.get("services");
  const isBrowserForm = isForm(mediaTypeOf(raw)) && wantsHtml(raw);
  const input = await readInput(raw);
  const isComplete = !(input instanceof AnyProblem) && !input.isBot && Object.keys(input.errors).length === 0;
  let list: SignUpList | null = null;
  try {
    list = await requireList(services, raw, keyOf(c), isComplete);
    c.set("origins", list.newsletter.allowed_origins);
    if (input instanceof AnyProblem) throw input;
    await signUp(services, raw, list, input);
    if (!isBrowserForm) return c.json({ status: "pending" as const }, 202);
    return await sentPage(list, languageOf(raw, input, list), services.settings, input.typed.email);
  } catch (error) {
    if (!isBrowserForm || !(error instanceof AnyProblem)) throw error;
    return rejectForm(c, error as Problem, list, input instanceof AnyProblem ? null : input);
  }
}

/** Reads the body. Returns its Problem instead of throwing, because a wrong public key takes precedence. */
async function readInput(raw: Request): Promise<SignUpInput | AnyProblem> {
  try {
    return await readSignUp(raw);
  } catch (error) {
    if (error instanceof AnyProblem) return error;
    throw error;
  }
}

/** Returns the page of a rejected form, which keeps what was typed. */
function rejectForm(
  c: EmailContext,
  problem: Problem,
  list: SignUpList | null,
  input: SignUpInput | null,
): Promise<Response> {
  if (list === null) {
    if (problem.code !== "newsletter_not_found") throw problem;
    return unknownListPage(input?.language ?? choosePageLanguage(c.req.header("accept-language")));
  }
  const { status } = emailErrors[problem.code as ErrorCode];
  const language = languageOf(c.req.raw, input ?? { language: null }, list);
  const typed = input?.typed ?? { email: "", firstName: "" };
  const rejected = { problem, status, requestId: c.get("requestId"), typed };
  return signUpPage(list, language, c.get("services").settings, rejected);
}
