import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Attributes, DocumentNode } from "../format/document";
import { button, details, linked, paragraph, TEXT_SLOTS, whenFilled, withoutOrphan } from "./designs/pieces";
import { eventTexts } from "./texts/events";
import { ACTION_WORDS, FRAME_WORDS } from "./texts/texts";

/** How the event ended, above the heading. */
export function stateBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { state } = eventTexts(event_type);
  return state === undefined ? [] : [paragraph(state[language], { class: `status ${state.tone}` })];
}

/** The greeting and what happened; the first paragraph keeps the place that it has in the design. */
export function introBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { greeting } = FRAME_WORDS[language];
  const { lead } = eventTexts(event_type)[language];
  return [
    paragraph(greeting, whenFilled(greeting)),
    ...lead.map((text, index) =>
      paragraph(withoutOrphan(text), { ...whenFilled(text), ...(index === 0 ? { textId: TEXT_SLOTS.lead } : {}) }),
    ),
  ];
}

/** The facts of the event, none for one without. */
export function factBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { facts } = eventTexts(event_type)[language];
  return facts === undefined ? [] : [details(facts)];
}

/** The code that stands for the link, and how long both live. */
export function codeBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { code, lifetime } = eventTexts(event_type)[language];
  return [
    ...(code === undefined
      ? []
      : [
          paragraph(code, { class: "muted", when: "sign_in_code" }),
          paragraph("{{ sign_in_code }}", { class: "code", when: "sign_in_code" }),
        ]),
    ...(lifetime === undefined ? [] : [paragraph(lifetime, { class: "muted", ...whenFilled(lifetime) })]),
  ];
}

/** A button to the main link, for a design that has none. */
export function mainButton({ event_type, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const label = eventTexts(event_type)[language].button;
  return label === undefined ? [] : [button(label, `{{ ${link_token} }}`, { textId: TEXT_SLOTS.button })];
}

/**
 * What the URL variables of an event besides its main link lead to: a button for the first where there is no main link,
 * since a mail has one action, and a link for each other. One without value is left out.
 */
export function actionBlocks({ variables, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const tokens = variables.flatMap(({ type, token }) => (type === "url" && token !== link_token ? [token] : []));
  const main = link_token === "" ? tokens.slice(0, 1) : [];
  return [
    ...main.map((token) => button(actionLabel(token, language), `{{ ${token} }}`, { when: token })),
    ...tokens
      .slice(main.length)
      .map((token) => linked(actionLabel(token, language), `{{ ${token} }}`, { when: token })),
  ];
}

/** The address of the first of those, for readers that show no button. */
export function addressBlocks({ variables, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const main = link_token === "" ? variables.find(({ type }) => type === "url")?.token : undefined;
  return main === undefined ? [] : linkAsText(main, language, { when: main });
}

/** The address of the main link, for a design that has no room for it. */
export const mainAddress = ({ event_type, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] =>
  eventTexts(event_type)[language].button === undefined ? [] : linkAsText(link_token, language);

/** What to do if one did not ask for the mail, for a design that has no room for it. */
export function asideBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { aside } = eventTexts(event_type)[language];
  return aside === undefined ? [] : [paragraph(withoutOrphan(aside), { class: "muted", ...whenFilled(aside) })];
}

function linkAsText(token: string, language: EmailLanguage, attrs: Attributes = {}): DocumentNode[] {
  const href = `{{ ${token} }}`;
  return [
    paragraph(FRAME_WORDS[language].address, { class: "small html-only", ...attrs }),
    linked(href, href, { class: "address html-only", ...attrs }, "soft"),
  ];
}

function actionLabel(token: string, language: EmailLanguage): string {
  const label = ACTION_WORDS[token];
  if (label === undefined) throw new Error(`a URL variable without words for its button: ${token}`);
  return label[language];
}
