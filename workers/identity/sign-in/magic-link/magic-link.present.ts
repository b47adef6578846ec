import { html } from "hono/html";
import type { RequestingBrowser } from "../../../../db/identity/schema";
import { maskAddress } from "../../../../schemas/text/address";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import type { PageLook } from "../../../kit/pages/company-look";
import { fill, formActionTo, pageResponse } from "../../../kit/pages/page";
import { waitOf } from "../../../kit/pages/wait";
import { iso } from "../../../kit/time";
import { describeAge, describeCountry, describeDevice, describeTime } from "../../caller/client/device";
import { stateOf, USE_OTHER_METHOD } from "../completion/sign-in-page";

type Texts = Record<
  | "confirmTitle"
  | "confirmHeading"
  | "confirmText"
  | "confirmButton"
  | "confirmNote"
  | "requestedHere"
  | "when"
  | "device"
  | "country"
  | "problemTitle"
  | "newLink"
  | "noLink",
  string
>;

/** The texts of the pages. The server fills in `{company}`, `{address}` and `{age}`. */
const TEXTS: Record<PageLanguage, Texts> = {
  en: {
    confirmTitle: "Confirm sign-in",
    confirmHeading: "Sign in to {company}",
    confirmText: "You are about to sign in as {address}.",
    confirmButton: "Sign in",
    requestedHere: "You requested this link in this browser, {age}.",
    when: "Requested",
    device: "Device",
    country: "Country",
    confirmNote: "If you did not request this, close this page. Nothing happens until you press the button.",
    problemTitle: "Sign-in",
    newLink: "Request a new link",
    noLink: "Go back to the application and request a new link there.",
  },
  fr: {
    confirmTitle: "Confirmer la connexion",
    confirmHeading: "Se connecter à {company}",
    confirmText: "Vous allez vous connecter avec l’adresse {address}.",
    confirmButton: "Se connecter",
    requestedHere: "Vous avez demandé ce lien dans ce navigateur {age}.",
    when: "Demande",
    device: "Appareil",
    country: "Pays",
    confirmNote:
      "Si vous n’êtes pas à l’origine de cette demande, fermez cette page. Rien ne se passe tant que vous n’appuyez pas sur le bouton.",
    problemTitle: "Connexion",
    newLink: "Demander un nouveau lien",
    noLink: "Retournez dans l’application et demandez-y un nouveau lien.",
  },
};

const PROBLEMS: Record<string, Record<PageLanguage, string>> = {
  magic_link_invalid: {
    en: "This link has expired or was already used.",
    fr: "Ce lien a expiré ou a déjà été utilisé.",
  },
  validation_failed: { en: "This link is not complete.", fr: "Ce lien est incomplet." },
  magic_link_disabled: {
    en: "Sign-in by link is switched off here.",
    fr: "La connexion par lien est désactivée ici.",
  },
  redirect_not_allowed: {
    en: "This link leads to an address that is no longer allowed.",
    fr: "Ce lien mène à une adresse qui n’est plus autorisée.",
  },
  csrf_failed: { en: "The form could not be confirmed.", fr: "Le formulaire n’a pas pu être vérifié." },
  rate_limited: { en: "Too many attempts.", fr: "Trop de tentatives." },
  access_pending: {
    en: "An administrator must approve your access first.",
    fr: "Un administrateur doit d’abord approuver votre accès.",
  },
  access_denied: {
    en: "This address has no access here.",
    fr: "Cette adresse n’a pas accès à cet espace.",
  },
  service_unavailable: {
    en: "Sign-in does not work right now.",
    fr: "La connexion est momentanément indisponible.",
  },
  other: { en: "This request could not be completed.", fr: "Cette demande n’a pas pu aboutir." },
};

/** The advice by error code. For other codes the page tells the user to request a new link. The server fills in `{wait}`. */
const NEXT: Record<string, Record<PageLanguage, string>> = {
  magic_link_disabled: USE_OTHER_METHOD,
  access_denied: {
    en: "Ask an administrator of the company for access.",
    fr: "Demandez l’accès à un administrateur de l’entreprise.",
  },
  access_pending: {
    en: "The same link works as soon as you have access.",
    fr: "Le même lien fonctionnera dès que l’accès vous sera donné.",
  },
  csrf_failed: {
    en: "The link has not been used. Open it from your mail again.",
    fr: "Le lien n’a pas été utilisé. Ouvrez-le à nouveau depuis votre e-mail.",
  },
  rate_limited: {
    en: "The link has not been used: try again in {wait}.",
    fr: "Le lien n’a pas été utilisé\u00a0: réessayez dans {wait}.",
  },
  service_unavailable: { en: "Try again in a moment.", fr: "Réessayez dans un instant." },
};

/**
 * When a link was requested (`requestedAt`, unix ms) and from which browser (`from`): this one (`here`), another one, or an
 * unknown one (null).
 */
type RequestFacts = { requestedAt: number; now: number; timezone: string; from: RequestingBrowser | "here" | null };

/** Renders when and from where the link was requested, so that users can see whether they requested it themselves. */
function renderRequestFacts(language: PageLanguage, { requestedAt, now, timezone, from }: RequestFacts) {
  const t = TEXTS[language];
  const age = describeAge(now - requestedAt, language);
  const exact = describeTime(requestedAt, timezone, language);
  if (from === "here") {
    const [before = "", after = ""] = t.requestedHere.split("{age}");
    return html`<p>${before}<time datetime="${iso(requestedAt)}" title="${exact}">${age}</time>${after}</p>`;
  }
  const country = describeCountry(from?.country ?? null, language);
  const device = from?.device ? describeDevice(from.device, language) : "";
  return html`<dl><dt>${t.when}</dt><dd><time datetime="${iso(requestedAt)}">${age}</time><br>${exact}</dd>
${device ? html`<dt>${t.device}</dt><dd>${device}</dd>` : ""}${country ? html`<dt>${t.country}</dt><dd>${country}</dd>` : ""}</dl>`;
}

/** Returns the confirmation page with the company, the masked address and one button. It has no script. */
export async function confirmationPage(input: {
  language: PageLanguage;
  otherLanguageUrl: string;
  company: string;
  look: PageLook;
  address: string;
  companyId: number;
  token: string;
  csrf: string;
  redirectIsHttp: boolean;
  requestFacts: RequestFacts;
}): Promise<Response> {
  const t = TEXTS[input.language];
  const values = { company: input.company, address: maskAddress(input.address) };
  const [before = "", after = ""] = t.confirmText.split("{address}");
  const body = html`<p>${before}<strong>${values.address}</strong>${after}</p>
${renderRequestFacts(input.language, input.requestFacts)}
<form method="post" action="?company_id=${input.companyId}&amp;language=${input.language}">
<input type="hidden" name="token" value="${input.token}"><input type="hidden" name="company_id" value="${input.companyId}">
<input type="hidden" name="csrf_token" value="${input.csrf}"><button type="submit">${t.confirmButton}</button></form>
<p class="note">${t.confirmNote}</p>`;
  return pageResponse({
    language: input.language,
    otherLanguageUrl: input.otherLanguageUrl,
    title: t.confirmTitle,
    heading: fill(t.confirmHeading, values),
    brand: input.company,
    ...input.look,
    body,
    formAction: formActionTo({ isHttp: input.redirectIsHttp }),
  });
}

/**
 * Returns an error page without a form. When a new link would help, the page links to `loginUrl`. Without a `loginUrl` it
 * tells the user to go back to the application.
 */
export async function problemPage(input: {
  language: PageLanguage;
  code: string;
  status: number;
  otherLanguageUrl: string | undefined;
  loginUrl: string | null;
  company: string;
  look: PageLook;
  requestId: string;
  headers?: Record<string, string>;
}): Promise<Response> {
  const { language, code, status, company, requestId, headers = {} } = input;
  const t = TEXTS[language];
  const next = NEXT[code]?.[language] ?? (input.loginUrl ? null : t.noLink);
  const nextStep =
    next === null
      ? html`<a class="button" href="${input.loginUrl}">${t.newLink}</a>`
      : html`<p>${fill(next, { wait: waitOf(headers, language) })}</p>`;
  return pageResponse({
    language,
    otherLanguageUrl: input.otherLanguageUrl,
    status,
    headers,
    title: t.problemTitle,
    heading: (PROBLEMS[code] ?? PROBLEMS.other)?.[language] ?? "",
    brand: company,
    ...input.look,
    state: stateOf(code),
    body: nextStep,
    support: { code, requestId },
  });
}

/** Returns the English sentence about a rejection, for a redirect. */
export function refusalSentence(code: string): string {
  return (PROBLEMS[code] ?? PROBLEMS.other)?.en ?? "";
}
