import { html } from "hono/html";
import { requestLanguage } from "../../../kit/http/request/page-language";
import { fill, formActionTo, otherLanguageUrl, pageResponse } from "../../../kit/pages/page";
import type { EmailSettings } from "../../settings";
import { companyPage } from "../pages/company-page";
import type { ConfirmationLink } from "./confirm";
import { SIGN_UP_TEXTS } from "./sign-up-texts";

/** Returns the 404 page of a confirmation link that does not work. */
export function expiredPage(request: Request): Promise<Response> {
  const language = requestLanguage(request);
  const texts = SIGN_UP_TEXTS[language];
  return pageResponse({
    language,
    otherLanguageUrl: otherLanguageUrl(request, language),
    title: texts.expiredTitle,
    headers: { "content-language": language, vary: "Accept-Language" },
    status: 404,
    state: { icon: "clock", tone: "warning" },
    body: html`<p>${texts.expired}</p>`,
  });
}

/**
 * Returns the page of a confirmation link: the question with a button, or the state after it. It is in the language of the
 * subscription until the reader chooses another.
 */
export function confirmationPage(
  link: ConfirmationLink,
  kind: "ask" | "done" | "already",
  request: Request,
  settings: Pick<EmailSettings, "emailPublicUrl" | "debug">,
): Promise<Response> {
  const { subscriber, companyName } = link;
  const { list_name: list, email_masked: masked, confirmed_redirect_url: redirect } = subscriber;
  const language = requestLanguage(request, subscriber.language);
  const texts = SIGN_UP_TEXTS[language];
  const sentence = fill(texts[kind], {
    list,
    who: companyName === null ? "" : fill(texts.from, { company: companyName }),
    address: masked === "" ? "" : fill(texts.to, { address: masked }),
  });
  const form = html`<form method="post"><button type="submit">${texts.confirm}</button></form><p class="note">${texts.askNote}</p>`;
  const formAction = redirect === "" ? "'self'" : formActionTo({ isHttp: redirect.startsWith("http:") });
  return companyPage(
    {
      language,
      otherLanguageUrl: otherLanguageUrl(request, language),
      title: { ask: texts.askTitle, done: texts.doneTitle, already: texts.alreadyTitle }[kind],
      headers: { "content-language": language },
      ...(kind === "ask" ? { formAction } : { state: { icon: "check", tone: "success" } as const }),
      body: html`<p>${sentence}</p>${kind === "ask" ? form : ""}`,
    },
    link,
    settings,
  );
}
