import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import { pageResponse } from "../../../kit/pages/page";
import { systemTokens } from "../../content/catalog/system-tokens";
import { substitute } from "../../content/tokens/substitution";
import type { EmailSettings } from "../../settings";
import type { WebContent } from "./web-version.store";

const TEXTS: Record<PageLanguage, { title: string; text: string }> = {
  en: {
    title: "This email is not available",
    text: "The link is incomplete, or the sender has removed the email.",
  },
  fr: {
    title: "Cet e-mail n’est pas disponible",
    text: "Le lien est incomplet, ou l’expéditeur a retiré l’e-mail.",
  },
};

/** Returns a document with its content in a main landmark, which mails lack and readers of a page look for. */
const withMain = (document: string): string =>
  document.replace(/(<body\b[^>]*>)(.*)(<\/body>)/isu, (_, start: string, content: string, end: string) =>
    [start, "<main>", content, "</main>", end].join(""),
  );

/**
 * Returns the mail as a page, or null when it cannot be composed. Values of recipients, links to unsubscribe and answers are
 * omitted, because the page is the same for everybody. It runs no scripts and shows images over https and from email.
 */
export function webPage(
  { companyName, branding, language, ...content }: WebContent,
  settings: Pick<EmailSettings, "authLinkHosts" | "debug" | "emailPublicUrl">,
): Response | null {
  const variables = { company_name: companyName };
  const values = { messageId: "", language, variables, branding, replyTo: "", unsubscribeUrl: null };
  const filled = substitute(content, variables, {
    authLane: false,
    authLinkHosts: settings.authLinkHosts,
    debug: settings.debug,
    urlTokens: [],
    system: systemTokens(values, settings),
  });
  if ("error" in filled) return null;
  const images = `https: ${new URL(settings.emailPublicUrl).origin}`;
  return new Response(withMain(filled.html), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": language,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
      "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  });
}

/** Returns the page for a link without a mail. */
export function missingPage(language: PageLanguage): Promise<Response> {
  const { title, text } = TEXTS[language];
  return pageResponse({
    language,
    headers: { "content-language": language, vary: "Accept-Language" },
    status: 404,
    title,
    state: { icon: "alert", tone: "danger" },
    body: html`<p>${text}</p>`,
  });
}
