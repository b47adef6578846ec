import { html } from "hono/html";
import { type PageLanguage, requestLanguage } from "../../../kit/http/request/page-language";
import { fill, otherLanguageUrl, type Page, pageResponse } from "../../../kit/pages/page";
import type { EmailSettings } from "../../settings";
import { companyPage } from "../pages/company-page";
import {
  isRestorable,
  listOfCategory,
  type UnsubscribeCategory,
  type UnsubscribeScope,
} from "../unsubscribes/unsubscribe";
import { type CategoryKind, UNSUBSCRIBE_TEXTS } from "./unsubscribe-texts";

/** The value of the field `category` for all newsletters of the company, but not its announcements. No link has this category. */
export const ALL_NEWSLETTERS = "newsletters";

/**
 * The state of the page: the question with a button, the confirmation of one of the two actions, the confirmation that all
 * newsletters were left, or an invalid link.
 */
export type UnsubscribePage =
  | { kind: "ask" | "done" | "undone"; category: UnsubscribeCategory; scope: UnsubscribeScope }
  | { kind: "left"; scope: UnsubscribeScope }
  | { kind: "unknown" };

type PageSettings = Pick<EmailSettings, "emailPublicUrl" | "publicBaseUrl">;

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

const CHOICES_STYLE = `.choices{margin:24px 0 0;padding:16px 0 0;border-top:1px solid var(--border)}
.choices h2{margin:0 0 8px;font-size:14px;font-weight:600}.choices ul{margin:0;padding:0;list-style:none}
.choices li{display:flex;gap:16px;align-items:center;justify-content:space-between;padding:8px 0;font-size:14px}
.choices small{display:block;color:var(--muted-foreground)}
.choices form{flex:none;margin:0}`;

const kindOf = (category: UnsubscribeCategory): CategoryKind =>
  category === "transactional" || category === "bulk" ? category : "list";

/** Returns the state of a category that the page shows when it is opened. */
export function stateOf(category: UnsubscribeCategory, scope: UnsubscribeScope): "ask" | "done" {
  const listId = listOfCategory(category);
  const subscription = scope.subscriptions.find(({ list_id }) => list_id === listId);
  // The category `bulk` also stops newsletters.
  const isStopped = scope.categories.has(category) || (listId !== null && scope.categories.has("bulk"));
  return isStopped || subscription?.status === "unsubscribed" ? "done" : "ask";
}

/** Returns the unsubscribe page. The form has no action attribute, so that it also works under a path prefix. */
export function unsubscribePage(page: UnsubscribePage, request: Request, settings: PageSettings): Promise<Response> {
  const language = requestLanguage(request);
  const texts = UNSUBSCRIBE_TEXTS[language];
  const headers = { "content-language": language, vary: "Accept-Language" };
  if (page.kind === "unknown") {
    return pageResponse({
      language,
      otherLanguageUrl: otherLanguageUrl(request, language),
      headers,
      status: 404,
      title: texts.unknownTitle,
      state: { icon: "alert", tone: "danger" },
      body: html`<p>${texts.unknown}</p>`,
    });
  }
  const { kind, scope } = page;
  const more = choices(page, language);
  const stays = html`<p class="note">${kind === "left" ? texts.announcementsStay : texts.stays}</p>`;
  const form = () => {
    if (page.kind === "undone") return "";
    if (page.kind === "left") return stays;
    if (page.kind === "done") return html`${stays}${undoForm(page, language, settings)}`;
    return html`<form method="post">${fields(page.category, "page")}
<button type="submit">${texts.button}</button></form>${stays}`;
  };
  return companyPage(
    {
      language,
      headers,
      title: { ask: texts.askTitle, done: texts.doneTitle, left: texts.doneTitle, undone: texts.undoneTitle }[kind],
      formAction: "'self'",
      otherLanguageUrl: otherLanguageUrl(request, language),
      ...(kind === "ask" ? {} : { state: { icon: "check", tone: "success" } as const }),
      ...(more === null ? {} : { style: CHOICES_STYLE }),
      body: html`<p>${sentenceOf(page, language)}</p>${form()}${more ?? ""}`,
    },
    scope,
    settings,
  );
}

type ScopePage = Exclude<UnsubscribePage, { kind: "unknown" }>;

function sentenceOf(page: ScopePage, language: PageLanguage): string {
  const texts = UNSUBSCRIBE_TEXTS[language];
  const { newsletter, companyName, masked } = page.scope;
  const kind = page.kind === "left" ? "list" : kindOf(page.category);
  return fill(page.kind === "left" ? texts.left : texts[page.kind][kind], {
    list: newsletter?.list_name ?? "",
    who: companyName === null ? "" : fill(texts.from[kind], { company: companyName }),
    address: masked === null ? "" : fill(texts.to, { address: masked }),
  });
}

/** Returns the hidden fields of a form. A form without a category acts on the category of the link. */
const fields = (category: UnsubscribeCategory | typeof ALL_NEWSLETTERS, action: "page" | "undo") =>
  html`<input type="hidden" name="${action === "undo" ? "action" : "source"}" value="${action}">${
    category === "transactional" ? "" : html`<input type="hidden" name="category" value="${category}">`
  }`;

/** Returns the button that subscribes again, or a link to the sign-up page when the address is no longer stored. */
function undoForm(
  { category, scope }: Exclude<ScopePage, { kind: "left" }>,
  language: PageLanguage,
  { publicBaseUrl }: PageSettings,
) {
  const texts = UNSUBSCRIBE_TEXTS[language];
  const { newsletter } = scope;
  const subscription = scope.subscriptions.find(({ list_id }) => list_id === newsletter?.list_id);
  if (newsletter !== null && scope.categories.has("bulk")) return "";
  if (newsletter !== null && subscription !== undefined && !isRestorable(subscription)) {
    const url = `${publicBaseUrl}/api/v1/public/newsletters/${newsletter.public_key}`;
    return html`<p class="note">${texts.signUp} <a class="way" href="${url}">${texts.signUpAgain}</a></p>`;
  }
  return html`<form method="post">${fields(category, "undo")}
<p class="note">${texts.mistake} <button class="way" type="submit">${texts.undo}</button></p></form>`;
}

/**
 * Returns the other newsletters of the company to the address, all its newsletters if the address receives several, and all its bulk
 * mail, each with a button. Returns null when there are none, and for notifications.
 */
function choices(page: ScopePage, language: PageLanguage) {
  const category = page.kind === "left" ? ALL_NEWSLETTERS : page.category;
  if (category === "transactional") return null;
  const texts = UNSUBSCRIBE_TEXTS[language];
  const isBulkStopped = page.scope.categories.has("bulk");
  const lists = page.scope.subscriptions.flatMap((subscription) => {
    const { list_id, list_name: name, status } = subscription;
    const isStopped = status === "unsubscribed";
    const isShown = status === "confirmed" || (isStopped && isRestorable(subscription));
    return isShown && !isBulkStopped ? [{ category: `list-${list_id}` as const, name, note: "", isStopped }] : [];
  });
  const hasSeveral = lists.filter(({ isStopped }) => !isStopped).length > 1;
  const all = [
    ...lists,
    ...(hasSeveral
      ? [
          {
            category: ALL_NEWSLETTERS,
            name: texts.allNewsletters,
            note: texts.announcements,
            isStopped: false,
          } as const,
        ]
      : []),
    { category: "bulk" as const, name: texts.everything, note: "", isStopped: isBulkStopped },
  ];
  const items = all.filter((item) => item.category !== category);
  if (items.length === 0) return null;
  return html`<section class="choices"><h2>${texts.choices}</h2><ul>${items.map((item) => {
    const label = item.isStopped ? texts.undo : texts.button;
    return html`<li><span>${item.name}${item.note === "" ? "" : html`<small>${item.note}</small>`}</span><form method="post">${fields(item.category, item.isStopped ? "undo" : "page")}
<button class="way" type="submit" aria-label="${fill(texts.named, { action: label, name: item.name })}">${label}</button></form></li>`;
  })}</ul></section>`;
}
