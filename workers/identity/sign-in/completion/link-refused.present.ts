import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import { fill, type Page, pageResponse } from "../../../kit/pages/page";
import { waitOf } from "../../../kit/pages/wait";

/** The response to a rejected link: status, headers, details for support, and the URL of the page in the other language. */
export type Refusal = Required<Pick<Page, "status" | "headers" | "support">> & Pick<Page, "otherLanguageUrl">;

/** The texts for rejections that end by themselves, by error code. The server fills in `{wait}`. */
const TEMPORARY: Record<string, Record<PageLanguage, { title: string; text: string }>> = {
  rate_limited: {
    en: { title: "Too many attempts", text: "Try again in {wait}." },
    fr: { title: "Trop de tentatives", text: "Réessayez dans {wait}." },
  },
  service_unavailable: {
    en: { title: "This does not work right now", text: "Try again in a moment." },
    fr: { title: "Cela ne fonctionne pas pour le moment", text: "Réessayez dans un instant." },
  },
};

/**
 * Returns the error page of a link in a mail. `invalid` has the texts for a link that is not valid; for a rate limit or an
 * outage the page asks the user to try again.
 */
export function linkRefusedPage(
  language: PageLanguage,
  refusal: Refusal,
  invalid: { title: string; text: string },
): Promise<Response> {
  const temporary = TEMPORARY[refusal.support.code]?.[language];
  const { title, text } = temporary ?? invalid;
  return pageResponse({
    language,
    ...refusal,
    title,
    state: temporary ? { icon: "clock", tone: "warning" } : { icon: "alert", tone: "danger" },
    body: html`<p>${fill(text, { wait: waitOf(refusal.headers, language) })}</p>`,
  });
}
