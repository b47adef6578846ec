import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import type { PageLook } from "../../../kit/pages/company-look";
import { fill, pageResponse } from "../../../kit/pages/page";
import { linkRefusedPage, type Refusal } from "../../sign-in/completion/link-refused.present";

type Texts = Record<"title" | "invitedBy" | "how" | "button" | "back" | "invalid" | "invalidText", string>;

/** The texts of the pages. The server fills in `{company}` and `{inviter}`. */
const TEXTS: Record<PageLanguage, Texts> = {
  en: {
    title: "You are invited to {company}",
    invitedBy: "{inviter} invited you.",
    how: "To accept, sign in with the address that received the invitation.",
    button: "Continue to sign-in",
    back: "Open the application of {company} and sign in there.",
    invalid: "This invitation is not valid",
    invalidText: "It has expired, was already accepted or was withdrawn. Ask the person who invited you for a new one.",
  },
  fr: {
    title: "Vous êtes invité à rejoindre {company}",
    invitedBy: "Invitation envoyée par {inviter}.",
    how: "Pour accepter, connectez-vous avec l’adresse qui a reçu l’invitation.",
    button: "Continuer vers la connexion",
    back: "Ouvrez l’application de {company} et connectez-vous.",
    invalid: "Cette invitation n’est pas valide",
    invalidText:
      "Elle a expiré, a déjà été acceptée ou a été retirée. Demandez-en une nouvelle à la personne qui vous a invité.",
  },
};

/** Returns the page of an open invitation. `appUrl` is null when the application is no longer on the allowlist. */
export function invitationPage(
  language: PageLanguage,
  otherLanguageUrl: string,
  {
    company,
    inviterName,
    appUrl,
    look,
  }: { company: string; inviterName: string; appUrl: string | null; look: PageLook },
): Promise<Response> {
  const t = TEXTS[language];
  const values = { company, inviter: inviterName };
  return pageResponse({
    language,
    otherLanguageUrl,
    title: fill(t.title, values),
    brand: company,
    ...look,
    body: html`<p>${inviterName ? fill(t.invitedBy, values) : ""} ${t.how}</p>
${appUrl === null ? html`<p>${fill(t.back, values)}</p>` : html`<a class="button" href="${appUrl}">${t.button}</a>`}`,
  });
}

/** Returns the error page of a rejection. */
export function invitationRefusedPage(language: PageLanguage, refusal: Refusal): Promise<Response> {
  const t = TEXTS[language];
  return linkRefusedPage(language, refusal, { title: t.invalid, text: t.invalidText });
}
