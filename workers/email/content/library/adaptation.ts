import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { type Attributes, type DocumentNode, type EmailDocument, listOf, stringAttribute } from "../format/document";
import { RAW_TOKEN_SOURCE } from "../tokens/token";
import { isListedHost } from "../tokens/url-value";
import { hideWhenEmpty, joinLastWords, TEXT_SLOTS } from "./designs/pieces";
import {
  actionBlocks,
  addressBlocks,
  codeBlocks,
  factBlocks,
  footnoteBlocks,
  hideWithoutLink,
  introBlocks,
  mainAddress,
  mainButton,
  stateBlocks,
} from "./event-blocks";
import { listBlocks } from "./list-blocks";
import { eventTexts } from "./texts/events";
import { FRAME_TEXTS } from "./texts/texts";

const ACTION_URL = "action_url";
const UNSUBSCRIBE_URL = "system.unsubscribe_url";
/** Designs of mail that recipients need, such as a new password. They have no unsubscribe link in mail of own event types. */
export const NECESSARY_DESIGNS = /\.(activation|password-reset|subscription-confirmation|order-\w+)$/;

interface Adaptation {
  event: CatalogEvent;
  language: EmailLanguage;
  authLinkHosts: readonly string[];
  slotLayout: SlotLayout;
}

/**
 * The text slots of a design. `hasAction`: the design links to `action_url`. `action`: the slot that the action blocks of the
 * event follow, or null.
 */
interface SlotLayout {
  hasAction: boolean;
  action: string | null;
  slots: ReadonlySet<string>;
}

function readSlotLayout(document: EmailDocument): SlotLayout {
  const slots = new Set<string>();
  let hasAction = false;
  const visit = (node: DocumentNode): void => {
    const slot = stringAttribute(node.attrs, "textId");
    if (slot === TEXT_SLOTS.sample) return;
    slots.add(slot);
    const targets = [node.attrs, ...(node.marks ?? []).map(({ attrs }) => attrs)];
    hasAction ||= targets.some((attrs) => stringAttribute(attrs, "href").includes(ACTION_URL));
    node.content?.forEach(visit);
  };
  visit(document);
  const action = [TEXT_SLOTS.button, TEXT_SLOTS.lead].find((slot) => slots.has(slot)) ?? null;
  return { hasAction, action, slots };
}

const onlyToken = new RegExp(`^\\s*${RAW_TOKEN_SOURCE}\\s*$`);
const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");

/** Replaces `{{ action_url }}`, with or without a default, by the main link of the event. */
function replaceActionUrl(text: string, linkToken: string): string {
  return text.replace(everyToken, (token, name: string) => {
    if (name !== ACTION_URL) return token;
    return linkToken === "" ? "" : `{{ ${linkToken} }}`;
  });
}

/** Returns whether a link target is kept. In the auth lane, only targets that pass the publish checks are kept. */
function canKeepTarget(href: string, { event, authLinkHosts }: Adaptation): boolean {
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
    return [name, name === "href" && !canKeepTarget(replaced, adaptation) ? "" : replaced] as const;
  });
  return Object.fromEntries(adapted);
}

const withText = (node: DocumentNode, text: string): DocumentNode => {
  const marks = node.content?.[0]?.marks;
  const { when: _when, ...attrs } = node.attrs ?? {};
  return {
    ...node,
    attrs: { ...attrs, ...hideWhenEmpty(text) },
    content: [{ type: "text", text, ...(marks === undefined ? {} : { marks }) }],
  };
};

/** Returns the node with another text. Mails omit it when the main link of the event is missing. */
function withLinkText(node: DocumentNode, text: string, event: CatalogEvent): DocumentNode {
  const filled = withText(node, text);
  return { ...filled, attrs: { ...filled.attrs, ...hideWithoutLink(event) } };
}

/**
 * Returns the blocks that the event adds below the action of the design, or below the lead if the design has no action. The
 * facts of a sign-in follow the code, because they matter only to recipients who did not request the mail.
 */
function writeActionBlocks({ event, language, slotLayout }: Adaptation): DocumentNode[] {
  const main = slotLayout.hasAction ? [] : mainButton(event, language);
  const { code } = eventTexts(event)[language];
  const facts = code === undefined ? [] : factBlocks(event, language);
  return [
    ...main,
    ...codeBlocks(event, language),
    ...facts,
    ...actionBlocks(event, language),
    ...addressBlocks(event, language),
    ...(slotLayout.slots.has(TEXT_SLOTS.aside) ? [] : closingBlocks(event, language, slotLayout)),
  ];
}

/** Returns the advice for unrequested mail and the link as text. Omits each of them if the design has a slot for it. */
function closingBlocks(event: CatalogEvent, language: EmailLanguage, { slots }: SlotLayout): DocumentNode[] {
  return [
    ...(slots.has(TEXT_SLOTS.aside) ? [] : footnoteBlocks(event, language)),
    ...(slots.has(TEXT_SLOTS.address) ? [] : mainAddress(event, language)),
  ];
}

/** Returns the nodes that replace a slot. Nodes without a slot are returned unchanged. */
function fillSlot(node: DocumentNode, adaptation: Adaptation): DocumentNode[] {
  const { event, language, slotLayout } = adaptation;
  const texts = eventTexts(event)[language];
  const frame = FRAME_TEXTS[language];
  const slot = stringAttribute(node.attrs, "textId");
  switch (slot) {
    case TEXT_SLOTS.heading:
      return [...stateBlocks(event, language), withText(node, joinLastWords(event.suggested[language].subject))];
    case TEXT_SLOTS.lead: {
      const { when: _when, textId: _slot, ...look } = node.attrs ?? {};
      const intro = introBlocks(event, language).map((block) => ({ ...block, attrs: { ...look, ...block.attrs } }));
      const lists = listBlocks(event, language);
      const facts = texts.code === undefined ? factBlocks(event, language) : [];
      const bodyBlocks =
        lists.length > 0 && slotLayout.slots.has(TEXT_SLOTS.items) ? intro : [...intro, ...lists, ...facts];
      return slotLayout.action === slot ? [...bodyBlocks, ...writeActionBlocks(adaptation)] : bodyBlocks;
    }
    case TEXT_SLOTS.button: {
      const button = texts.button === undefined ? [] : [withLinkText(node, texts.button, event)];
      return slotLayout.action === slot ? [...button, ...writeActionBlocks(adaptation)] : button;
    }
    case TEXT_SLOTS.sample:
    // Only broadcasts have a web version and preferences.
    case TEXT_SLOTS.view:
    case TEXT_SLOTS.preferences:
      return [];
    case TEXT_SLOTS.items: {
      const lists = listBlocks(event, language);
      return lists.length === 0 ? [] : [...lists, ...factBlocks(event, language)];
    }
    case TEXT_SLOTS.addressLabel:
      return texts.button === undefined ? [] : [withLinkText(node, frame.address, event)];
    case TEXT_SLOTS.address:
      return texts.button === undefined ? [] : [{ ...node, attrs: { ...node.attrs, ...hideWithoutLink(event) } }];
    case TEXT_SLOTS.aside:
      return [
        ...(texts.footnote === undefined ? [] : [withText(node, joinLastWords(texts.footnote))]),
        ...closingBlocks(event, language, slotLayout),
      ];
    case TEXT_SLOTS.reason:
      return [withText(node, texts.reason)];
    case TEXT_SLOTS.contact:
      return [withText(node, frame.contact)];
    case TEXT_SLOTS.noContact:
      return [{ ...withText(node, frame.noContact), attrs: node.attrs ?? {} }];
    case TEXT_SLOTS.unsubscribe:
      return [{ ...withText(node, frame.unsubscribe), attrs: node.attrs ?? {} }];
    default:
      return [node];
  }
}

/** Returns whether a node is the unsubscribe paragraph, which is removed from mail without an unsubscribe link. */
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

const isList = ({ variables }: CatalogEvent, list: string): boolean =>
  variables.some(({ token, value_type }) => token === list && value_type === "list");

const isNecessary = ({ lane_class, own, default_template, is_necessary }: CatalogEvent): boolean =>
  lane_class === "auth" || is_necessary === true || (own !== undefined && NECESSARY_DESIGNS.test(default_template));

function adaptNode(node: DocumentNode, adaptation: Adaptation): DocumentNode[] {
  if (isNecessary(adaptation.event) && isUnsubscribeBlock(node)) return [];
  if (listOf(node) !== "" && !isList(adaptation.event, listOf(node))) return [];
  return fillSlot(node, adaptation).flatMap((filled) => {
    const attrs = adaptAttributes(filled.attrs ?? {}, adaptation);
    const href = stringAttribute(attrs, "href");
    if (filled.type === "button" && href === "") return [];
    const isMainButton = filled.type === "button" && href.includes(`{{ ${adaptation.event.link_token} }}`);
    const marks = (filled.marks ?? [])
      .map((mark) => ({ ...mark, attrs: adaptAttributes(mark.attrs ?? {}, adaptation) }))
      .filter(({ type, attrs: markAttrs }) => type !== "link" || stringAttribute(markAttrs, "href") !== "");
    const adapted: DocumentNode = {
      ...filled,
      attrs: isMainButton ? { ...hideWithoutLink(adaptation.event), ...attrs } : attrs,
      ...(filled.text === undefined ? {} : { text: replaceActionUrl(filled.text, adaptation.event.link_token) }),
      ...(filled.marks === undefined ? {} : { marks }),
    };
    const content = (filled.content ?? []).flatMap((child) => adaptNode(child, adaptation));
    return [filled.content === undefined ? adapted : { ...adapted, content }];
  });
}

/**
 * Adapts a design to an event. Fills the slots with the texts of the event in `language`, replaces `action_url` by the main
 * link of the event, adds the facts of the event, and removes samples and the nodes that repeat over a list of another event. In the auth lane, also removes links that would fail the
 * publish checks. Keeps text outside the slots.
 */
export function adaptDesign(
  document: EmailDocument,
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): EmailDocument {
  const slotLayout = readSlotLayout(document);
  const adaptation = { event, language, authLinkHosts, slotLayout };
  return { ...document, content: document.content.flatMap((node) => adaptNode(node, adaptation)) };
}
