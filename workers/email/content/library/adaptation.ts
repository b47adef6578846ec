import { type CatalogEvent, mayBeLeft } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { type Attributes, type DocumentNode, type EmailDocument, stringAttribute } from "../format/document";
import { RAW_TOKEN_SOURCE } from "../tokens/token";
import { isListedHost } from "../tokens/url-value";
import { TEXT_SLOTS, whenFilled, withoutOrphan } from "./designs/pieces";
import {
  actionBlocks,
  addressBlocks,
  asideBlocks,
  codeBlocks,
  factBlocks,
  introBlocks,
  mainAddress,
  mainButton,
  stateBlocks,
} from "./event-blocks";
import { eventTexts } from "./texts/events";
import { FRAME_WORDS } from "./texts/texts";

const ACTION_URL = "action_url";
const UNSUBSCRIBE_URL = "system.unsubscribe_url";
interface Adaptation {
  event: CatalogEvent;
  language: EmailLanguage;
  authLinkHosts: readonly string[];
  places: Places;
}

/** What a design has room for: whether it has an action of its own, in which slot that of the event stands, and the slots. */
interface Places {
  hasAction: boolean;
  action: string | null;
  slots: ReadonlySet<string>;
}

function findPlaces(document: EmailDocument): Places {
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

const withText = (node: DocumentNode, text: string): DocumentNode => {
  const marks = node.content?.[0]?.marks;
  const { when: _when, ...attrs } = node.attrs ?? {};
  return {
    ...node,
    attrs: { ...attrs, ...whenFilled(text) },
    content: [{ type: "text", text, ...(marks === undefined ? {} : { marks }) }],
  };
};

/**
 * What the event adds where the design has its action, or else under its lead. Facts of a sign-in stand
 * below its code, since they are looked at by those who did not ask for it.
 */
function actionPart({ event, language, places }: Adaptation): DocumentNode[] {
  const main = places.hasAction ? [] : mainButton(event, language);
  const { code } = eventTexts(event.event_type)[language];
  const facts = code === undefined ? [] : factBlocks(event, language);
  return [
    ...main,
    ...codeBlocks(event, language),
    ...facts,
    ...actionBlocks(event, language),
    ...addressBlocks(event, language),
    ...(places.slots.has(TEXT_SLOTS.aside) ? [] : closing(event, language, places)),
  ];
}

/** What ends the mail of an event where the design has no room for it: what to do if one did not ask for it, and the address. */
function closing(event: CatalogEvent, language: EmailLanguage, { slots }: Places): DocumentNode[] {
  return [
    ...(slots.has(TEXT_SLOTS.aside) ? [] : asideBlocks(event, language)),
    ...(slots.has(TEXT_SLOTS.address) ? [] : mainAddress(event, language)),
  ];
}

/** The nodes that take the place of a slot; nodes without a slot stay as they are. */
function fillSlot(node: DocumentNode, adaptation: Adaptation): DocumentNode[] {
  const { event, language, places } = adaptation;
  const texts = eventTexts(event.event_type)[language];
  const frame = FRAME_WORDS[language];
  const slot = stringAttribute(node.attrs, "textId");
  switch (slot) {
    case TEXT_SLOTS.heading:
      return [...stateBlocks(event, language), withText(node, withoutOrphan(event.suggested[language].subject))];
    case TEXT_SLOTS.lead: {
      const { when: _when, textId: _slot, ...look } = node.attrs ?? {};
      const intro = introBlocks(event, language).map((own) => ({ ...own, attrs: { ...look, ...own.attrs } }));
      const bodyBlocks = [...intro, ...(texts.code === undefined ? factBlocks(event, language) : [])];
      return places.action === slot ? [...bodyBlocks, ...actionPart(adaptation)] : bodyBlocks;
    }
    case TEXT_SLOTS.button: {
      const own = texts.button === undefined ? [] : [withText(node, texts.button)];
      return places.action === slot ? [...own, ...actionPart(adaptation)] : own;
    }
    case TEXT_SLOTS.sample:
      return [];
    case TEXT_SLOTS.addressLabel:
      return texts.button === undefined ? [] : [withText(node, frame.address)];
    case TEXT_SLOTS.address:
      return texts.button === undefined ? [] : [node];
    case TEXT_SLOTS.aside:
      return [
        ...(texts.aside === undefined ? [] : [withText(node, withoutOrphan(texts.aside))]),
        ...closing(event, language, places),
      ];
    case TEXT_SLOTS.reason:
      return [withText(node, texts.why)];
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

/** The unsubscribe paragraph has no meaning in mail that nobody can leave. */
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
  if (!mayBeLeft(adaptation.event) && isUnsubscribeBlock(node)) return [];
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
 * details, and on the auth lane no link that publishing would refuse. What a built-in design shows as a sample goes; other
 * text outside its slots stays.
 */
export function adaptDesign(
  document: EmailDocument,
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): EmailDocument {
  const places = findPlaces(document);
  const adaptation = { event, language, authLinkHosts, places };
  return { ...document, content: document.content.flatMap((node) => adaptNode(node, adaptation)) };
}
