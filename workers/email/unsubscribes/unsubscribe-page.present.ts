import { escapeHtml } from "../../kit/http/html";
import type { PageLanguage } from "../../kit/http/request/page-language";
import type { UnsubscribeCategory } from "./unsubscribe";
import type { UnsubscribeScope } from "./unsubscribe.store";

/** What the page says: the question with its button, the thanks, or that the link is not valid. */
export type UnsubscribePage =
  | { kind: "ask" | "done"; category: UnsubscribeCategory; scope: UnsubscribeScope }
  | { kind: "unknown" };

type Words = {
  askTitle: string;
  doneTitle: string;
  unknownTitle: string;
  unknown: string;
  button: string;
  stays: string;
  ask: (what: string, who: string, address: string) => string;
  done: (what: string, who: string, address: string) => string;
  what: Record<UnsubscribeCategory, string>;
  from: (company: string) => string;
  to: (address: string) => string;
};

const WORDS: Record<PageLanguage, Words> = {
  en: {
    askTitle: "Unsubscribe?",
    doneTitle: "You are unsubscribed",
    unknownTitle: "This link is not valid",
    unknown: "The link is incomplete or was changed. Please open it again from the message you received.",
    button: "Unsubscribe",
    stays: "Messages for signing in are still sent.",
    ask: (what, who, address) => `Do you want to stop ${what}${who}${address}?`,
    done: (what, who, address) => `You will no longer receive ${what}${who}${address}.`,
    what: { transactional: "notifications", bulk: "newsletters and announcements" },
    from: (company) => ` from ${company}`,
    to: (address) => ` to ${address}`,
  },
  fr: {
    askTitle: "Se désabonner ?",
    doneTitle: "Vous êtes désabonné",
    unknownTitle: "Ce lien n’est pas valide",
    unknown: "Le lien est incomplet ou a été modifié. Veuillez l’ouvrir à nouveau depuis le message reçu.",
    button: "Se désabonner",
    stays: "Les messages de connexion sont toujours envoyés.",
    ask: (what, who, address) => `Voulez-vous ne plus recevoir ${what}${who}${address} ?`,
    done: (what, who, address) => `Vous ne recevrez plus ${what}${who}${address}.`,
    what: { transactional: "les notifications", bulk: "les lettres d’information et annonces" },
    from: (company) => ` de ${company}`,
    to: (address) => ` à l’adresse ${address}`,
  },
};

const STYLE =
  "body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#f4f5f7;color:#1c2430}" +
  "main{max-width:32rem;margin:12vh auto 0;padding:2rem;background:#fff;border-radius:12px}" +
  "h1{margin:0 0 1rem;font-size:1.5rem}p{overflow-wrap:anywhere}small{color:#57606a}" +
  "button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:8px;background:#1f4fd8;color:#fff;cursor:pointer}" +
  "@media (prefers-color-scheme:dark){body{background:#12161d;color:#e8ebf0}main{background:#1c222c}small{color:#a3adba}}";

/** The whole document. The form names no address, so that it works under a path prefix too. `nonce`: of the style. */
export function renderUnsubscribePage(page: UnsubscribePage, language: PageLanguage, nonce: string): string {
  const words = WORDS[language];
  const { title, body } = page.kind === "unknown" ? unknownParts(words) : knownParts(page, words);
  return (
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  );
}

function unknownParts(words: Words): { title: string; body: string } {
  return { title: words.unknownTitle, body: `<p>${escapeHtml(words.unknown)}</p>` };
}

function knownParts(
  page: Extract<UnsubscribePage, { category: UnsubscribeCategory }>,
  words: Words,
): { title: string; body: string } {
  const { companyName, message } = page.scope;
  const say = page.kind === "ask" ? words.ask : words.done;
  const sentence = say(
    words.what[page.category],
    companyName === null ? "" : words.from(companyName),
    message === null ? "" : words.to(message.to_masked),
  );
  const form =
    '<form method="post"><input type="hidden" name="source" value="page">' +
    `<p><button type="submit">${escapeHtml(words.button)}</button></p></form>`;
  const stays = `<p><small>${escapeHtml(words.stays)}</small></p>`;
  return {
    title: page.kind === "ask" ? words.askTitle : words.doneTitle,
    body: `<p>${escapeHtml(sentence)}</p>${page.kind === "ask" ? form : ""}${stays}`,
  };
}
