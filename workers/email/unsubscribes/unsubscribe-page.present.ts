import { html } from "hono/html";
import type { PageLanguage } from "../../kit/http/request/page-language";
import { fill, type Page, pageResponse } from "../../kit/pages/page";
import type { UnsubscribeCategory } from "./unsubscribe";
import type { UnsubscribeScope } from "./unsubscribe.store";

/** What the page says: the question with its button, that it is done, or that the link is not valid. */
export type UnsubscribePage =
  | { kind: "ask" | "done"; category: UnsubscribeCategory; scope: UnsubscribeScope }
  | { kind: "unknown" };

type Words = Record<
  "askTitle" | "doneTitle" | "unknownTitle" | "unknown" | "awayTitle" | "away" | "button" | "stays" | "from" | "to",
  string
> & {
  ask: Record<UnsubscribeCategory, string>;
  done: Record<UnsubscribeCategory, string>;
};

/** `{who}` and `{address}` are filled in, with `from` and `to`, or with nothing. */
export const UNSUBSCRIBE_WORDS: Record<PageLanguage, Words> = {
  en: {
    askTitle: "Unsubscribe?",
    doneTitle: "You are unsubscribed",
    unknownTitle: "This link is not valid",
    unknown: "The link is incomplete or was changed. Open it again from the message you received.",
    awayTitle: "This does not work right now",
    away: "Nothing was changed. Try again in a moment.",
    button: "Unsubscribe",
    stays: "Messages for signing in and about security are still sent.",
    ask: {
      transactional: "You will stop receiving notifications{who}{address}.",
      bulk: "You will stop receiving newsletters and announcements{who}{address}.",
    },
    done: {
      transactional: "You will no longer receive notifications{who}{address}.",
      bulk: "You will no longer receive newsletters and announcements{who}{address}.",
    },
    from: " from {company}",
    to: " to {address}",
  },
  fr: {
    askTitle: "Se désabonner\u00a0?",
    doneTitle: "Désabonnement effectué",
    unknownTitle: "Ce lien n’est pas valide",
    unknown: "Le lien est incomplet ou a été modifié. Ouvrez-le à nouveau depuis le message reçu.",
    awayTitle: "Cela ne fonctionne pas pour le moment",
    away: "Rien n’a été modifié. Réessayez dans un instant.",
    button: "Se désabonner",
    stays: "Les messages de connexion et de sécurité sont toujours envoyés.",
    ask: {
      transactional: "Vous cesserez de recevoir les notifications{who}{address}.",
      bulk: "Vous cesserez de recevoir les lettres d’information et annonces{who}{address}.",
    },
    done: {
      transactional: "Vous ne recevrez plus les notifications{who}{address}.",
      bulk: "Vous ne recevrez plus les lettres d’information et annonces{who}{address}.",
    },
    from: " de {company}",
    to: " à l’adresse {address}",
  },
};

/** The page of a fault of ours: a wrong setting, or a database that is away. */
export function unsubscribeAwayPage(
  language: PageLanguage,
  refusal: Required<Pick<Page, "status" | "headers" | "support">>,
): Promise<Response> {
  const { awayTitle: title, away } = UNSUBSCRIBE_WORDS[language];
  const headers = { "content-language": language, vary: "Accept-Language", ...refusal.headers };
  const state = { icon: "clock", tone: "warning" } as const;
  return pageResponse({ ...{ language, ...refusal, headers, title, state }, body: html`<p>${away}</p>` });
}

/** The answer. The form names no address, so that it works under a path prefix too. */
export function unsubscribePage(page: UnsubscribePage, language: PageLanguage): Promise<Response> {
  const words = UNSUBSCRIBE_WORDS[language];
  const headers = { "content-language": language, vary: "Accept-Language" };
  if (page.kind === "unknown") {
    return pageResponse({
      ...{ language, headers, status: 404 },
      title: words.unknownTitle,
      state: { icon: "alert", tone: "danger" },
      body: html`<p>${words.unknown}</p>`,
    });
  }
  const isAsking = page.kind === "ask";
  const { companyName, message } = page.scope;
  const sentence = fill(words[page.kind][page.category], {
    who: companyName === null ? "" : fill(words.from, { company: companyName }),
    address: message === null ? "" : fill(words.to, { address: message.to_masked }),
  });
  const form = html`<form method="post"><input type="hidden" name="source" value="page">
<button type="submit">${words.button}</button></form>`;
  return pageResponse({
    ...{ language, headers },
    title: isAsking ? words.askTitle : words.doneTitle,
    brand: companyName ?? "",
    ...(isAsking ? { formAction: "'self'" } : { state: { icon: "check", tone: "success" } }),
    body: html`<p>${sentence}</p>${isAsking ? form : ""}<p class="note">${words.stays}</p>`,
  });
}
