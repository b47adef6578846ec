import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Attributes, DocumentNode } from "../format/document";
import { button, details, hideWhenEmpty, joinLastWords, linked, paragraph, TEXT_SLOTS } from "./designs/pieces";
import { eventTexts } from "./texts/events";
import { ACTION_LABELS, FRAME_TEXTS } from "./texts/texts";

/** Returns the paragraph with the outcome of the event, which mails show above the heading, or an empty list. */
export function stateBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { state } = eventTexts(event_type);
  return state === undefined ? [] : [paragraph(state[language], { class: `status ${state.tone}` })];
}

/** Returns the greeting and the lead paragraphs. The first lead paragraph gets the lead slot. */
export function introBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { greeting } = FRAME_TEXTS[language];
  const { lead } = eventTexts(event_type)[language];
  return [
    paragraph(greeting, hideWhenEmpty(greeting)),
    ...lead.map((text, index) =>
      paragraph(joinLastWords(text), { ...hideWhenEmpty(text), ...(index === 0 ? { textId: TEXT_SLOTS.lead } : {}) }),
    ),
  ];
}

/** Returns the table with the facts of the event, or an empty list. */
export function factBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { facts } = eventTexts(event_type)[language];
  return facts === undefined ? [] : [details(facts)];
}

/** Returns the sign-in code, which users can type instead of opening the link, and the lifetime of both. */
export function codeBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { code, lifetime } = eventTexts(event_type)[language];
  return [
    ...(code === undefined
      ? []
      : [
          paragraph(code, { class: "muted", when: "sign_in_code" }),
          paragraph("{{ sign_in_code }}", { class: "code", when: "sign_in_code" }),
        ]),
    ...(lifetime === undefined ? [] : [paragraph(lifetime, { class: "muted", ...hideWhenEmpty(lifetime) })]),
  ];
}

/** Returns a button with the main link, for designs without a button. */
export function mainButton({ event_type, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const label = eventTexts(event_type)[language].button;
  return label === undefined ? [] : [button(label, `{{ ${link_token} }}`, { textId: TEXT_SLOTS.button })];
}

/**
 * Returns links for the URL variables except the main link. If the event has no main link, the first variable becomes a
 * button, because every mail has one action. Mails omit links without a value.
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

/** Returns the link of the button in actionBlocks as plain text, for mail clients that do not show buttons. */
export function addressBlocks({ variables, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const main = link_token === "" ? variables.find(({ type }) => type === "url")?.token : undefined;
  return main === undefined ? [] : linkAsText(main, language, { when: main });
}

/** Returns the main link as plain text, for designs without a slot for it. */
export const mainAddress = ({ event_type, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] =>
  eventTexts(event_type)[language].button === undefined ? [] : linkAsText(link_token, language);

/** Returns the advice for unrequested mail, for designs without a slot for it. */
export function footnoteBlocks({ event_type }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { footnote } = eventTexts(event_type)[language];
  return footnote === undefined
    ? []
    : [paragraph(joinLastWords(footnote), { class: "muted", ...hideWhenEmpty(footnote) })];
}

function linkAsText(token: string, language: EmailLanguage, attrs: Attributes = {}): DocumentNode[] {
  const href = `{{ ${token} }}`;
  return [
    paragraph(FRAME_TEXTS[language].address, { class: "small html-only", ...attrs }),
    linked(href, href, { class: "address html-only", ...attrs }, "soft"),
  ];
}

function actionLabel(token: string, language: EmailLanguage): string {
  const label = ACTION_LABELS[token];
  if (label === undefined) throw new Error(`no button label for the URL variable ${token}: add it to ACTION_LABELS`);
  return label[language];
}
