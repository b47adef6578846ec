import type { CatalogEvent, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import type { Attributes, DocumentNode } from "../format/document";
import { tokensOf } from "../tokens/token";
import { button, details, hideWhenEmpty, joinLastWords, linked, paragraph, TEXT_SLOTS } from "./designs/pieces";
import { totalsOf } from "./list-blocks";
import { eventTexts } from "./texts/events";
import { FRAME_TEXTS, OCCURRENCE_FACTS } from "./texts/texts";

/** Returns the paragraph with the outcome of the event, which the HTML part shows above the heading, or an empty list. */
export function stateBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { state } = eventTexts(event);
  return state === undefined ? [] : [paragraph(state[language], { class: `status ${state.tone} html-only` })];
}

/** Returns the greeting and the lead paragraphs. The first lead paragraph gets the lead slot. */
export function introBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { lead, greeting = FRAME_TEXTS[language].greeting } = eventTexts(event)[language];
  return [
    paragraph(greeting, hideWhenEmpty(greeting)),
    ...lead.map((text, index) =>
      paragraph(joinLastWords(text), { ...hideWhenEmpty(text), ...(index === 0 ? { textId: TEXT_SLOTS.lead } : {}) }),
    ),
  ];
}

/** Returns the table with the facts of the event, or an empty list. */
export function factBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const facts = event.own === undefined ? platformFacts(event, language) : ownFacts(event, language);
  return facts === undefined ? [] : [details(facts)];
}

/** Returns the facts of an event of the platform, followed by who caused it and when. */
function platformFacts(event: CatalogEvent, language: EmailLanguage): Readonly<Record<string, string>> | undefined {
  const { facts } = eventTexts(event)[language];
  if (!event.variables.some(({ token }) => token === "occurred_at")) return facts;
  return { ...facts, ...OCCURRENCE_FACTS[language] };
}

/** Value types that the facts omit: links become buttons, lists tables of their own. */
const NOT_A_FACT = ["url", "list"];

/**
 * Returns the variables of a company's own event with their labels. Variables with the same label share a row. A variable is not
 * repeated if the subject contains it, which is also the heading, or if it is a whole paragraph.
 */
function ownFacts(event: CatalogEvent, language: EmailLanguage): Record<string, string> | undefined {
  const totals = totalsOf(event);
  const inHeading = tokensOf(event.suggested[language].subject);
  const { lead } = eventTexts(event)[language];
  const facts: Record<string, string> = {};
  for (const variable of event.variables) {
    const label = variable.labels?.[language];
    if (label === undefined || NOT_A_FACT.includes(variable.value_type ?? "text") || totals.includes(variable))
      continue;
    const token = `{{ ${variable.token} }}`;
    if (inHeading.has(variable.token) || lead.includes(token)) continue;
    facts[label] = facts[label] === undefined ? token : `${facts[label]} ${token}`;
  }
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** Returns the sign-in code, which users can type instead of opening the link, and the lifetime of both. */
export function codeBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { code, lifetime } = eventTexts(event)[language];
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
export function mainButton(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const label = eventTexts(event)[language].button;
  if (label === undefined) return [];
  return [button(label, `{{ ${event.link_token} }}`, { textId: TEXT_SLOTS.button, ...hideWithoutLink(event) })];
}

/** Returns the `when` attribute for a block about the main link. Mails omit the block when an optional link is missing. */
export function hideWithoutLink({ variables, link_token }: CatalogEvent): Attributes {
  const isOptional = variables.some(({ token, required }) => token === link_token && !required);
  return isOptional ? { when: link_token } : {};
}

/**
 * Returns links for the URL variables except the main link. If the event has no main link, the first variable becomes a
 * button, because every mail has one action. Mails omit links without a value.
 */
export function actionBlocks({ variables, link_token, own }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const links = variables.filter(
    ({ type, token, is_earlier_name }) => type === "url" && token !== link_token && is_earlier_name !== true,
  );
  const [main] = link_token === "" ? links : [];
  const mainLabel = own?.texts[language].button || undefined;
  return links.map((link) => {
    const { token } = link;
    const [write, label] = link === main ? [button, mainLabel] : [linked, undefined];
    return write(label ?? actionLabel(link, language), `{{ ${token} }}`, { when: token });
  });
}

/** Returns the link of the button in actionBlocks as plain text, for mail clients that do not show buttons. */
export function addressBlocks({ variables, link_token }: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const main = link_token === "" ? variables.find(({ type }) => type === "url")?.token : undefined;
  return main === undefined ? [] : linkAsText(main, language, { when: main });
}

/** Returns the main link as plain text, for designs without a slot for it. */
export const mainAddress = (event: CatalogEvent, language: EmailLanguage): DocumentNode[] =>
  eventTexts(event)[language].button === undefined
    ? []
    : linkAsText(event.link_token, language, hideWithoutLink(event));

/** Returns the advice for unrequested mail, for designs without a slot for it. */
export function footnoteBlocks(event: CatalogEvent, language: EmailLanguage): DocumentNode[] {
  const { footnote } = eventTexts(event)[language];
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

function actionLabel({ token, labels }: CatalogVariable, language: EmailLanguage): string {
  if (labels === undefined) throw new Error(`no label for the link ${token}: make it the main link of its event`);
  return labels[language];
}
