import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import type { PageLook } from "../../../kit/pages/company-look";
import { pageResponse } from "../../../kit/pages/page";
import { iso } from "../../../kit/time";
import { describeAge, describeCountry, describeDevice, describeTime } from "../../caller/client/device";
import type { SessionToEnd } from "../../mail/session-end/session-end-link";
import { linkRefusedPage, type Refusal } from "../completion/link-refused.present";

type Texts = Record<
  | ("ask" | "text" | "button" | "closeNote" | "when" | "device" | "country")
  | ("ended" | "endedText" | "advice" | "invalid" | "invalidText"),
  string
>;

const TEXTS: Record<PageLanguage, Texts> = {
  en: {
    ask: "End this session?",
    text: "This signs the session out at once. Your other sessions remain signed in.",
    button: "End session",
    closeNote: "If this was you, close this page. Nothing happens until you press the button.",
    when: "Signed in",
    device: "Device",
    country: "Country",
    ended: "This session has ended",
    endedText: "The device is signed out.",
    advice:
      "Anyone who can read your mail can sign in again. If this was not you, change the password of your mailbox.",
    invalid: "This link is not valid",
    invalidText: "It is incomplete, or its session ended long ago. Open it again from the message you received.",
  },
  fr: {
    ask: "Mettre fin à cette session\u00a0?",
    text: "La personne qui y est connectée sera déconnectée aussitôt. Vos autres sessions restent ouvertes.",
    button: "Mettre fin à la session",
    closeNote: "Si c’était vous, fermez cette page. Rien ne se passe tant que vous n’appuyez pas sur le bouton.",
    when: "Connexion",
    device: "Appareil",
    country: "Pays",
    ended: "Cette session a pris fin",
    endedText: "L’appareil est déconnecté.",
    advice:
      "Une personne qui lit vos e-mails peut se connecter à nouveau. Si ce n’était pas vous, changez le mot de passe de votre messagerie.",
    invalid: "Ce lien n’est pas valide",
    invalidText:
      "Il est incomplet, ou sa session a pris fin depuis longtemps. Ouvrez-le à nouveau depuis le message reçu.",
  },
};

/** Returns the confirmation page. Its form posts `token`. */
export function endSessionPage(
  language: PageLanguage,
  otherLanguageUrl: string,
  row: SessionToEnd,
  { token, now, look }: { token: string; now: number; look: PageLook },
): Promise<Response> {
  const t = TEXTS[language];
  const device = describeDevice(row.device ?? "", language);
  const country = describeCountry(row.country, language);
  const { auth_time: signedInAt } = row;
  return pageResponse({
    language,
    otherLanguageUrl,
    title: t.ask,
    brand: row.company_name,
    ...look,
    formAction: "'self'",
    body: html`<dl><dt>${t.when}</dt><dd><time datetime="${iso(signedInAt)}">${describeAge(now - signedInAt, language)}</time><br>${describeTime(signedInAt, row.region ?? "", language)}</dd>
${device ? html`<dt>${t.device}</dt><dd>${device}</dd>` : ""}
${country ? html`<dt>${t.country}</dt><dd>${country}</dd>` : ""}</dl>
<p>${t.text}</p><form method="post"><input type="hidden" name="token" value="${token}">
<button type="submit">${t.button}</button></form><p class="note">${t.closeNote}</p>`,
  });
}

/** Returns the page that says that the session has ended, now or earlier. */
export function sessionEndedPage(
  language: PageLanguage,
  otherLanguageUrl: string,
  row: SessionToEnd,
  look: PageLook,
): Promise<Response> {
  const t = TEXTS[language];
  return pageResponse({
    language,
    otherLanguageUrl,
    title: t.ended,
    brand: row.company_name,
    ...look,
    state: { icon: "check", tone: "success" },
    body: html`<p>${t.endedText}</p><p class="note">${t.advice}</p>`,
  });
}

/** Returns the error page of a rejection. */
export function endRefusedPage(language: PageLanguage, refusal: Refusal): Promise<Response> {
  const t = TEXTS[language];
  return linkRefusedPage(language, refusal, { title: t.invalid, text: t.invalidText });
}
