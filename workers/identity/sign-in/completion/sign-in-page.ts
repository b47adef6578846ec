import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import type { PageLook } from "../../../kit/pages/company-look";
import { icons } from "../../../kit/pages/icons";
import { fill, formActionTo, type Page, pageResponse } from "../../../kit/pages/page";
import { describeWait, waitOf } from "../../../kit/pages/wait";

type Texts = Record<
  ("title" | "heading" | "provider" | "or" | "email" | "send" | "again") | ("badAddress" | "tooMany" | "unavailable"),
  string
>;

/** The texts of the page. The server fills in `{company}`, `{provider}` and `{wait}`. */
const TEXTS: Record<PageLanguage, Texts> = {
  en: {
    title: "Sign in",
    heading: "Sign in to {company}",
    provider: "Continue with {provider}",
    or: "or",
    email: "Email address",
    send: "Send sign-in link",
    badAddress: "This is not an email address. Check it for typing errors.",
    tooMany: "Too many sign-in links were requested. Try again in {wait}.",
    unavailable: "Sign-in does not work right now. Nothing is lost: try again in a moment.",
    again: "Go back to the application and start again there.",
  },
  fr: {
    title: "Connexion",
    heading: "Se connecter à {company}",
    provider: "Continuer avec {provider}",
    or: "ou",
    email: "Adresse e-mail",
    send: "Envoyer le lien de connexion",
    badAddress: "Ceci n’est pas une adresse e-mail. Vérifiez la saisie.",
    tooMany: "Trop de liens de connexion ont été demandés. Réessayez dans {wait}.",
    unavailable: "La connexion est momentanément indisponible. Rien n’est perdu\u00a0: réessayez dans un instant.",
    again: "Retournez dans l’application et recommencez depuis celle-ci.",
  },
};

type Sentence = Record<PageLanguage, string>;

const UNFINISHED: Sentence = {
  en: "Sign-in could not be completed.",
  fr: "La connexion n’a pas pu aboutir.",
};
const UNAVAILABLE: Sentence = {
  en: "Sign-in by this provider does not work right now.",
  fr: "La connexion par ce fournisseur est momentanément indisponible.",
};

/** The sentence that tells users about a rejection, by error code. */
const SENTENCES: Record<string, Sentence> = {
  validation_failed: { en: "This sign-in is not complete.", fr: "Cette demande de connexion est incomplète." },
  redirect_not_allowed: {
    en: "This sign-in leads to an address that is not allowed.",
    fr: "Cette connexion mène à une adresse qui n’est pas autorisée.",
  },
  magic_link_disabled: {
    en: "Sign-in by link is switched off here.",
    fr: "La connexion par lien est désactivée ici.",
  },
  csrf_failed: { en: "The form could not be confirmed.", fr: "Le formulaire n’a pas pu être vérifié." },
  invalid_oauth_state: {
    en: "This sign-in has expired, was already completed, or was started in another browser.",
    fr: "Cette connexion a expiré, est déjà terminée ou a commencé dans un autre navigateur.",
  },
  provider_disabled: {
    en: "Sign-in by this provider is switched off here.",
    fr: "La connexion par ce fournisseur est désactivée ici.",
  },
  oauth_client_unavailable: UNAVAILABLE,
  oauth_provider_denied: {
    en: "The provider did not sign you in.",
    fr: "Le fournisseur ne vous a pas connecté.",
  },
  missing_code: UNFINISHED,
  token_exchange_failed: UNAVAILABLE,
  oauth_identity_failed: UNAVAILABLE,
  oauth_id_token_invalid: UNFINISHED,
  oauth_email_missing: {
    en: "The provider returned no email address.",
    fr: "Le fournisseur n’a pas communiqué d’adresse e-mail.",
  },
  oauth_email_unverified: {
    en: "The provider has not verified your email address.",
    fr: "Le fournisseur n’a pas vérifié votre adresse e-mail.",
  },
  access_pending: {
    en: "An administrator must approve your access first.",
    fr: "Un administrateur doit d’abord approuver votre accès.",
  },
  access_denied: {
    en: "You have no access here.",
    fr: "Vous n’avez pas accès à cet espace.",
  },
  rate_limited: { en: "Too many attempts.", fr: "Trop de tentatives." },
  service_unavailable: {
    en: "Sign-in does not work right now.",
    fr: "La connexion est momentanément indisponible.",
  },
};

/** The advice when a sign-in method is disabled. */
export const USE_OTHER_METHOD: Sentence = {
  en: "Go back to the application and sign in another way.",
  fr: "Retournez dans l’application et connectez-vous autrement.",
};

/**
 * The advice by error code. For other codes the page tells the user to start again in the application. The server fills in
 * `{wait}`.
 */
const NEXT: Record<string, Sentence> = {
  redirect_not_allowed: {
    en: "Contact the people who manage the application: its address is not in the company’s list of allowed addresses.",
    fr: "Contactez les responsables de l’application\u00a0: son adresse ne figure pas dans la liste des adresses autorisées de l’entreprise.",
  },
  magic_link_disabled: USE_OTHER_METHOD,
  provider_disabled: USE_OTHER_METHOD,
  oauth_email_unverified: USE_OTHER_METHOD,
  access_denied: {
    en: "Ask an administrator of the company for access.",
    fr: "Demandez l’accès à un administrateur de l’entreprise.",
  },
  access_pending: {
    en: "You can sign in as soon as you have access.",
    fr: "Vous pourrez vous connecter dès que l’accès vous sera donné.",
  },
  csrf_failed: {
    en: "Nothing was sent. Load the sign-in page again and send the form once more.",
    fr: "Rien n’a été envoyé. Rechargez la page de connexion et renvoyez le formulaire.",
  },
  rate_limited: { en: "Try again in {wait}.", fr: "Réessayez dans {wait}." },
  service_unavailable: { en: "Try again in a moment.", fr: "Réessayez dans un instant." },
};

/** Returns the icon and tone of a rejection: a warning when waiting helps, else an error. */
export function stateOf(code: string): NonNullable<Page["state"]> {
  const isTemporary = ["rate_limited", "service_unavailable", "access_pending"].includes(code);
  return isTemporary ? { icon: "clock", tone: "warning" } : { icon: "alert", tone: "danger" };
}

/** Returns the English sentence about a rejected sign-in, for a redirect. */
export function signInSentence(code: string): string {
  return (SENTENCES[code] ?? UNFINISHED).en;
}

/**
 * The problem with a posted form. `isAddress` is true when the address in the form is invalid. With any other problem, the
 * user may post the same form again later.
 */
export type FormProblem = {
  code: string;
  status: number;
  requestId: string;
  headers: Record<string, string>;
  isAddress: boolean;
};

function bannerOf(problem: FormProblem | null, language: PageLanguage) {
  if (problem === null || problem.isAddress) return "";
  const t = TEXTS[language];
  const wait = Number(problem.headers["retry-after"] ?? 0);
  const sentence =
    problem.code === "rate_limited" ? fill(t.tooMany, { wait: describeWait(wait, language) }) : t.unavailable;
  return html`<p class="banner warning" role="alert">${icons.clock}<span>${sentence}</span></p>`;
}

/**
 * Returns the sign-in page: a button per provider and, when `form` is given, the form that requests a link. Links and the
 * form's action are relative, so that they work under a path prefix. The page has no script.
 */
export async function signInPage(input: {
  language: PageLanguage;
  otherLanguageUrl: string | undefined;
  company: string;
  look: PageLook;
  providers: { label: string; href: string }[];
  form: { action: string; hidden: [string, string][]; email: string; problem: FormProblem | null } | null;
  redirectIsHttp: boolean;
}): Promise<Response> {
  const t = TEXTS[input.language];
  const { form } = input;
  const buttons = input.providers.map(
    ({ label, href }) => html`<a class="button quiet" href="${href}">${fill(t.provider, { provider: label })}</a>`,
  );
  const emailForm = form
    ? html`<form method="post" action="${form.action}">${bannerOf(form.problem, input.language)}
${form.hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="field"><label for="email">${t.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required value="${form.email}"${
        form.problem?.isAddress ? html` aria-invalid="true" aria-describedby="email-error" autofocus` : ""
      }>${form.problem?.isAddress ? html`<p class="error" id="email-error" role="alert">${icons.alert}<span>${t.badAddress}</span></p>` : ""}</div>
<button type="submit">${t.send}</button></form>`
    : "";
  const separator = form && buttons.length > 0 ? html`<p class="or">${t.or}</p>` : "";
  const heading = input.company === "" ? t.title : fill(t.heading, { company: input.company });
  const problem = form?.problem;
  return pageResponse({
    language: input.language,
    otherLanguageUrl: input.otherLanguageUrl,
    title: heading,
    brand: input.company,
    ...input.look,
    body: html`${buttons}${separator}${emailForm}`,
    ...(form ? { formAction: formActionTo({ isHttp: input.redirectIsHttp }) } : {}),
    ...(problem
      ? { status: problem.status, headers: problem.headers, support: { ...problem, atField: problem.isAddress } }
      : {}),
  });
}

/** Returns the error page, without a form, for a rejection by authorize, the callback or the email form. */
export async function signInProblemPage(input: {
  language: PageLanguage;
  otherLanguageUrl: string | undefined;
  code: string;
  status: number;
  headers: Record<string, string>;
  requestId: string;
}): Promise<Response> {
  const { language, code, status, headers, requestId } = input;
  const t = TEXTS[language];
  return pageResponse({
    language,
    otherLanguageUrl: input.otherLanguageUrl,
    status,
    headers,
    title: t.title,
    heading: (SENTENCES[code] ?? UNFINISHED)[language],
    state: stateOf(code),
    body: html`<p>${fill(NEXT[code]?.[language] ?? t.again, { wait: waitOf(headers, language) })}</p>`,
    support: { code, requestId },
  });
}
