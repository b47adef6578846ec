import { html } from "hono/html";
import type { PageLanguage } from "../../../kit/http/request/page-language";
import { fill, type Page, pageResponse } from "../../../kit/pages/page";
import type { UnsubscribeCategory } from "./unsubscribe";
import type { UnsubscribeScope } from "./unsubscribe.store";

/** The state of the page: the question with a button, the confirmation of one of the two actions, or an invalid link. */
export type UnsubscribePage =
  | { kind: "ask" | "done" | "undone"; category: UnsubscribeCategory; scope: UnsubscribeScope }
  | { kind: "unknown" };

type PageTexts = Record<
  | ("askTitle" | "doneTitle" | "undoneTitle" | "unknownTitle" | "unknown" | "awayTitle" | "away")
  | ("button" | "undo" | "mistake" | "stays" | "from" | "to"),
  string
> &
  Record<"ask" | "done" | "undone", Record<UnsubscribeCategory, string>>;

/** Texts of the page. `from` replaces `{who}` and `to` replaces `{address}`; both are empty when the value is unknown. */
export const UNSUBSCRIBE_TEXTS: Record<PageLanguage, PageTexts> = {
  en: {
    askTitle: "Unsubscribe?",
    doneTitle: "You are unsubscribed",
    undoneTitle: "You are subscribed again",
    unknownTitle: "This link is not valid",
    unknown: "The link is incomplete or was changed. Open it again from the message you received.",
    awayTitle: "This does not work right now",
    away: "Nothing was changed. Try again in a moment.",
    button: "Unsubscribe",
    undo: "Subscribe again",
    mistake: "Was that a mistake?",
    stays: "Messages for signing in and about security are still sent.",
    ask: {
      transactional: "You will stop receiving notifications{who}{address}.",
      bulk: "You will stop receiving newsletters and announcements{who}{address}.",
    },
    done: {
      transactional: "You will no longer receive notifications{who}{address}.",
      bulk: "You will no longer receive newsletters and announcements{who}{address}.",
    },
    undone: {
      transactional: "You will receive notifications{who}{address} as before.",
      bulk: "You will receive newsletters and announcements{who}{address} as before.",
    },
    from: " from {company}",
    to: " to {address}",
  },
  fr: {
    askTitle: "Se désabonner\u00a0?",
    doneTitle: "Désabonnement effectué",
    undoneTitle: "Réabonnement effectué",
    unknownTitle: "Ce lien n’est pas valide",
    unknown: "Le lien est incomplet ou a été modifié. Ouvrez-le à nouveau depuis le message reçu.",
    awayTitle: "Cela ne fonctionne pas pour le moment",
    away: "Rien n’a été modifié. Réessayez dans un instant.",
    button: "Se désabonner",
    undo: "Se réabonner",
    mistake: "C’était une erreur\u00a0?",
    stays: "Les messages de connexion et de sécurité sont toujours envoyés.",
    ask: {
      transactional: "Vous cesserez de recevoir les notifications{who}{address}.",
      bulk: "Vous cesserez de recevoir les lettres d’information et annonces{who}{address}.",
    },
    done: {
      transactional: "Vous ne recevrez plus les notifications{who}{address}.",
      bulk: "Vous ne recevrez plus les lettres d’information et annonces{who}{address}.",
    },
    undone: {
      transactional: "Vous recevrez les notifications{who}{address} comme avant.",
      bulk: "Vous recevrez les lettres d’information et annonces{who}{address} comme avant.",
    },
    from: " envoyées par {company}",
    to: " à l’adresse {address}",
  },
};

/** Returns the page that reports an error of the service, such as an invalid setting or an unavailable database. */
export function unavailablePage(
  language: PageLanguage,
  error: Required<Pick<Page, "status" | "headers" | "support">>,
): Promise<Response> {
  const { awayTitle: title, away } = UNSUBSCRIBE_TEXTS[language];
  const headers = { "content-language": language, vary: "Accept-Language", ...error.headers };
  const state = { icon: "clock", tone: "warning" } as const;
  return pageResponse({ language, ...error, headers, title, state, body: html`<p>${away}</p>` });
}

/** Returns the unsubscribe page. The form has no action attribute, so that it also works under a path prefix. */
export function unsubscribePage(page: UnsubscribePage, language: PageLanguage): Promise<Response> {
  const texts = UNSUBSCRIBE_TEXTS[language];
  const headers = { "content-language": language, vary: "Accept-Language" };
  if (page.kind === "unknown") {
    return pageResponse({
      language,
      headers,
      status: 404,
      title: texts.unknownTitle,
      state: { icon: "alert", tone: "danger" },
      body: html`<p>${texts.unknown}</p>`,
    });
  }
  const { kind } = page;
  const { companyName, message } = page.scope;
  const sentence = fill(texts[kind][page.category], {
    who: companyName === null ? "" : fill(texts.from, { company: companyName }),
    address: message === null ? "" : fill(texts.to, { address: message.to_masked }),
  });
  const form = {
    ask: html`<form method="post"><input type="hidden" name="source" value="page">
<button type="submit">${texts.button}</button></form><p class="note">${texts.stays}</p>`,
    done: html`<p class="note">${texts.stays}</p><form method="post"><input type="hidden" name="action" value="undo">
<p>${texts.mistake}</p><button class="quiet" type="submit">${texts.undo}</button></form>`,
    undone: html``,
  }[kind];
  return pageResponse({
    language,
    headers,
    title: { ask: texts.askTitle, done: texts.doneTitle, undone: texts.undoneTitle }[kind],
    brand: companyName ?? "",
    ...(kind === "undone" ? {} : { formAction: "'self'" }),
    ...(kind === "ask" ? {} : { state: { icon: "check", tone: "success" } }),
    body: html`<p>${sentence}</p>${form}`,
  });
}
