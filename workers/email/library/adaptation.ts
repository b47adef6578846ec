import type { CatalogEvent } from "../../../schemas/email/catalog";
import type { EmailLanguage } from "../../../schemas/email/catalog-texts";
import { type Attributes, type DocumentNode, type EmailDocument, stringAttribute } from "../render/document";
import { colonOf } from "../render/text";
import { RAW_TOKEN_SOURCE } from "../render/token";
import { isListedHost } from "../render/url-value";
import { actionNodes } from "./actions";
import { paragraph, TEXT_SLOTS } from "./barebone";
import { detailLabel, FRAME_WORDS, LINK_WORDS } from "./words";

const ACTION_URL = "action_url";
const UNSUBSCRIBE_URL = "system.unsubscribe_url";
/** Variables that have a paragraph of their own instead of a line among the details. */
const OWN_PARAGRAPH = ["sign_in_code", "link_lifetime"];

interface Adaptation {
  event: CatalogEvent;
  language: EmailLanguage;
  authLinkHosts: readonly string[];
}

const onlyToken = new RegExp(`^\\s*${RAW_TOKEN_SOURCE}\\s*$`);
const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");

/** `{{ action_url }}`, with or without default, becomes the main link of the event. */
function replaceActionUrl(text: string, linkToken: string): string {
  return text.replace(everyToken, (token, name: string) => {
    if (name !== ACTION_URL) return token;
    return linkToken === "" ? "" : `{{ ${linkToken} }}`;
  });
}

/** Whether a link target may stay; on the auth lane only what publishing allows. */
function mayKeepTarget(href: string, { event, authLinkHosts }: Adaptation): boolean {
  if (href === "") return false;
  if (event.lane_class !== "auth") return true;
  const token = onlyToken.exec(href);
  if (token !== null) {
    const isDeclared = event.variables.some(({ type, token: name }) => type === "url" && name === token[1]);
    return token[2] === undefined && (isDeclared || token[1] === "system.message_id");
  }
  return /^https:\/\//i.test(href) && !href.includes("{{") && URL.canParse(href)
    ? isListedHost(new URL(href), authLinkHosts)
    : false;
}

function adaptAttributes(attrs: Attributes, adaptation: Adaptation): Attributes {
  const adapted = Object.entries(attrs).map(([name, value]) => {
    if (typeof value !== "string") return [name, value] as const;
    const replaced = replaceActionUrl(value, adaptation.event.link_token);
    return [name, name === "href" && !mayKeepTarget(replaced, adaptation) ? "" : replaced] as const;
  });
  return Object.fromEntries(adapted);
}

/** Lines `name: value` of the event's texts in catalog order, each left out when it has no value (2.3). */
function detailLines({ event, language }: Adaptation): DocumentNode[] {
  const listed = event.variables.filter(({ token, type }) => type === "string" && !OWN_PARAGRAPH.includes(token));
  const lines = listed.map(({ token }) =>
    paragraph(`${detailLabel(event.event_type, token, language)}${colonOf(language)}{{ ${token} }}`, {
      class: "line",
      when: token,
    }),
  );
  return [{ type: "div", attrs: { class: "details" }, content: lines }];
}

function codeParagraphs({ event, language }: Adaptation): DocumentNode[] {
  const words = LINK_WORDS[event.event_type]?.[language];
  const nodes: DocumentNode[] = [];
  if (words?.codeLabel !== undefined) {
    nodes.push(
      paragraph(words.codeLabel, { class: "muted", when: "sign_in_code" }),
      paragraph("{{ sign_in_code }}", { class: "code", when: "sign_in_code" }),
    );
  }
  if (words?.lifetime !== undefined) nodes.push(paragraph(words.lifetime, { class: "muted", when: "link_lifetime" }));
  return nodes;
}

const withText = (node: DocumentNode, text: string): DocumentNode => {
  const marks = node.content?.[0]?.marks;
  return { ...node, content: [{ type: "text", text, ...(marks === undefined ? {} : { marks }) }] };
};

/** The nodes that take the place of a slot; nodes without a slot stay as they are. */
function fillSlot(node: DocumentNode, adaptation: Adaptation): DocumentNode[] {
  const { event, language } = adaptation;
  const words = LINK_WORDS[event.event_type]?.[language];
  switch (stringAttribute(node.attrs, "textId")) {
    case TEXT_SLOTS.heading:
      return [withText(node, event.suggested[language].subject)];
    case TEXT_SLOTS.lead:
      return [
        withText(node, words?.lead ?? event.suggested[language].preheader),
        ...detailLines(adaptation),
        ...actionNodes(event, language),
      ];
    case TEXT_SLOTS.button:
      return words === undefined ? [] : [withText(node, words.button)];
    case TEXT_SLOTS.addressLabel:
      return words === undefined ? [] : [withText(node, words.addressLabel)];
    case TEXT_SLOTS.address:
      return words === undefined ? [] : [node, ...codeParagraphs(adaptation)];
    case TEXT_SLOTS.aside:
      return words === undefined ? [] : [withText(node, words.aside)];
    case TEXT_SLOTS.sender:
      return [withText(node, FRAME_WORDS[language].sender)];
    case TEXT_SLOTS.unsubscribe:
      return [withText(node, FRAME_WORDS[language].unsubscribe)];
    default:
      return [node];
  }
}

/** The unsubscribe paragraph has no meaning on the auth lane, where there is nothing to leave. */
function isUnsubscribeBlock(node: DocumentNode): boolean {
  const isDirect = stringAttribute(node.attrs, "when") === UNSUBSCRIBE_URL;
  return (
    isDirect ||
    (node.type === "paragraph" &&
      (node.content ?? []).some((child) =>
        (child.marks ?? []).some(({ attrs }) => stringAttribute(attrs, "href").includes(UNSUBSCRIBE_URL)),
      ))
  );
}

function adaptNode(node: DocumentNode, adaptation: Adaptation): DocumentNode[] {
  if (adaptation.event.lane_class === "auth" && isUnsubscribeBlock(node)) return [];
  return fillSlot(node, adaptation).flatMap((filled) => {
    const attrs = adaptAttributes(filled.attrs ?? {}, adaptation);
    if (filled.type === "button" && stringAttribute(attrs, "href") === "") return [];
    const marks = (filled.marks ?? [])
      .map((mark) => ({ ...mark, attrs: adaptAttributes(mark.attrs ?? {}, adaptation) }))
      .filter(({ type, attrs: own }) => type !== "link" || stringAttribute(own, "href") !== "");
    const adapted: DocumentNode = {
      ...filled,
      attrs,
      ...(filled.text === undefined ? {} : { text: replaceActionUrl(filled.text, adaptation.event.link_token) }),
      ...(filled.marks === undefined ? {} : { marks }),
    };
    const content = (filled.content ?? []).flatMap((child) => adaptNode(child, adaptation));
    return [filled.content === undefined ? adapted : { ...adapted, content }];
  });
}

/**
 * Fits a design to an event: its words in the language, its main link on `action_url`, its
 * details, and on the auth lane no link that publishing would refuse. Text outside the slots of built-in designs stays.
 */
export function adaptDesign(
  document: EmailDocument,
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): EmailDocument {
  const adaptation = { event, language, authLinkHosts };
  return { ...document, content: document.content.flatMap((node) => adaptNode(node, adaptation)) };
}
