import { html } from "hono/html";
import type { PageLanguage } from "../../kit/http/request/page-language";
import { fill, formActionTo, type Page, pageResponse } from "../../kit/pages/page";

type Texts = Record<
  "title" | "heading" | "provider" | "or" | "email" | "send" | "sentHeading" | "sentText" | "sentNote" | "again",
  string
>;

/** `{company}` and `{provider}` are filled in. */
const TEXTS: Record<PageLanguage, Texts> = {
  en: {
    title: "Sign in",
    heading: "Sign in to {company}",
    provider: "Continue with {provider}",
    or: "or",
    email: "Email address",
    send: "Send link",
    sentHeading: "Check your inbox",
    sentText: "If this address can sign in, a message with a sign-in link is on its way.",
    sentNote: "You can close this page.",
    again: "Go back to the application and start again there.",
  },
  fr: {
    title: "Connexion",
    heading: "Connexion à {company}",
    provider: "Continuer avec {provider}",
    or: "ou",
    email: "Adresse e-mail",
    send: "Envoyer le lien",
    sentHeading: "Consultez votre messagerie",
    sentText: "Si cette adresse permet de se connecter, un message contenant un lien de connexion est en route.",
    sentNote: "Vous pouvez fermer cette page.",
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

/** What people read of a refusal, by error code. */
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
  csrf_failed: {
    en: "The form could not be confirmed. Load the sign-in page again.",
    fr: "Le formulaire n’a pas pu être vérifié. Rechargez la page de connexion.",
  },
  invalid_oauth_state: {
    en: "This sign-in has expired, was already completed, or was begun in another browser.",
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
    en: "The provider gave no email address.",
    fr: "Le fournisseur n’a pas communiqué d’adresse e-mail.",
  },
  oauth_email_unverified: {
    en: "The provider has not verified your email address. Sign in another way.",
    fr: "Le fournisseur n’a pas vérifié votre adresse e-mail. Connectez-vous autrement.",
  },
  access_pending: {
    en: "Your access awaits an administrator.",
    fr: "Votre accès attend l’accord d’un administrateur.",
  },
  access_denied: {
    en: "You have no access here.",
    fr: "Vous n’avez pas accès à cet espace.",
  },
  rate_limited: {
    en: "Too many attempts. Wait a moment and try again.",
    fr: "Trop de tentatives. Patientez un instant puis réessayez.",
  },
  service_unavailable: {
    en: "Sign-in does not work right now. Try again in a moment.",
    fr: "La connexion est momentanément indisponible. Réessayez dans un instant.",
  },
};

/** How a refusal looks: what passes by waiting is no danger. */
export function stateOf(code: string): NonNullable<Page["state"]> {
  const isPassing = ["rate_limited", "service_unavailable", "access_pending"].includes(code);
  return isPassing ? { icon: "clock", tone: "warning" } : { icon: "alert", tone: "danger" };
}

/** The English sentence of a refused sign-in that travels in a redirect. */
export function signInSentence(code: string): string {
  return (SENTENCES[code] ?? UNFINISHED).en;
}

/**
 * The choice of ways into a company: a button per provider and, when `form` is given, the form that asks for a link. Links
 * and action are relative, so that they hold under a path prefix; no script.
 */
export async function signInPage(input: {
  language: PageLanguage;
  company: string;
  providers: { label: string; href: string }[];
  form: { action: string; hidden: [string, string][] } | null;
  redirectIsHttp: boolean;
}): Promise<Response> {
  const t = TEXTS[input.language];
  const { form } = input;
  const buttons = input.providers.map(
    ({ label, href }) => html`<a class="button quiet" href="${href}">${fill(t.provider, { provider: label })}</a>`,
  );
  const emailForm = form
    ? html`<form method="post" action="${form.action}">
${form.hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="field"><label for="email">${t.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required></div>
<button type="submit">${t.send}</button></form>`
    : "";
  const separator = form && buttons.length > 0 ? html`<p class="or">${t.or}</p>` : "";
  const heading = fill(t.heading, { company: input.company });
  return pageResponse({
    language: input.language,
    title: heading,
    body: html`${buttons}${separator}${emailForm}`,
    ...(form ? { formAction: formActionTo({ isHttp: input.redirectIsHttp }) } : {}),
  });
}

/** What follows the email form; the same for every address. */
export async function linkSentPage(language: PageLanguage): Promise<Response> {
  const t = TEXTS[language];
  return pageResponse({
    language,
    title: t.sentHeading,
    body: html`<p>${t.sentText}</p><p class="note">${t.sentNote}</p>`,
  });
}

/** A refusal of authorize, callback or the email form as a page without form. */
export async function signInProblemPage(input: {
  language: PageLanguage;
  code: string;
  status: number;
  headers: Record<string, string>;
  requestId: string;
}): Promise<Response> {
  const { language, code, status, headers, requestId } = input;
  const t = TEXTS[language];
  return pageResponse({
    ...{ language, status, headers },
    title: t.title,
    heading: (SENTENCES[code] ?? UNFINISHED)[language],
    state: stateOf(code),
    body: html`<p>${t.again}</p>`,
    support: { code, requestId },
  });
}
