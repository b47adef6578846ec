import type { Attributes, DocumentMark, DocumentNode } from "../../format/document";
import { RAW_TOKEN_SOURCE } from "../../tokens/token";

/**
 * Names of the text slots: nodes whose text is replaced when a design is adapted to an event. The attribute `textId` contains
 * the name. Editors keep this attribute and recipients never see it. Nodes with the name `sample` are removed. The node with
 * the name `items` shows sample items; it is replaced by the lists of the event.
 */
export const TEXT_SLOTS = {
  heading: "heading",
  lead: "lead",
  button: "button",
  sample: "sample",
  items: "items",
  aside: "aside",
  addressLabel: "address-label",
  address: "address",
  reason: "reason",
  contact: "contact",
  noContact: "no-contact",
  unsubscribe: "unsubscribe",
  preferences: "preferences",
  view: "view",
} as const;

/** Joins a short last word to the preceding word, so that the last line never contains only that word. */
export const joinLastWords = (text: string): string =>
  text.split(" ").length < 4 ? text : text.replace(/ (?=[^\s{}]{1,10}$)/, "\u00a0");

/** Returns a block with one text node. */
export function block(
  type: string,
  text: string,
  attrs: Attributes = {},
  marks?: readonly DocumentMark[],
): DocumentNode {
  return {
    type,
    attrs,
    content: [{ type: "text", text, ...(marks === undefined ? {} : { marks }) }],
  };
}

/** Returns a paragraph with one text node. */
export function paragraph(text: string, attrs: Attributes = {}): DocumentNode {
  return block("paragraph", text, attrs);
}

/** Returns a paragraph with one link. `look` is the class of the link. */
export function linked(text: string, href: string, attrs: Attributes, look = ""): DocumentNode {
  return block("paragraph", text, attrs, [{ type: "link", attrs: { href, ...(look === "" ? {} : { class: look }) } }]);
}

/** Returns a button that links to `href`. */
export function button(label: string, href: string, attrs: Attributes = {}): DocumentNode {
  return block("button", label, { href, ...attrs });
}

const token = new RegExp(RAW_TOKEN_SOURCE, "g");

/** Returns the `when` attribute for a text. Mails omit the block when the first token without a default is empty. */
export function hideWhenEmpty(text: string): Attributes {
  const firstRequired = [...text.matchAll(token)].find((match) => match[2] === undefined);
  return firstRequired === undefined ? {} : { when: firstRequired[1] ?? "" };
}

const MACHINE_TEXT = /^`(.*)`$/;
/** Maximum length of a key that fits the narrow column. */
const MAX_NARROW_KEY_CHARS = 7;

/** Returns a table of keys and values. Mails omit rows with an empty value. A value in backticks is shown in monospace. */
export function details(facts: Readonly<Record<string, string>>, attrs: Attributes = {}): DocumentNode {
  const cell = (name: string, content: DocumentNode, width: string): DocumentNode => ({
    type: "tableCell",
    attrs: { class: `${name}-cell`, width },
    content: [content],
  });
  const isNarrow = Object.keys(facts).every((key) => key.length <= MAX_NARROW_KEY_CHARS);
  const [keyWidth, valueWidth] = isNarrow ? ["26%", "74%"] : ["36%", "64%"];
  return {
    type: "table",
    attrs: { class: "details", width: "100%", border: 0, cellpadding: 0, cellspacing: 0, ...attrs },
    content: Object.entries(facts).map(([key, template]) => {
      const machine = MACHINE_TEXT.exec(template)?.[1];
      const value = paragraph(machine ?? template, { class: machine === undefined ? "value" : "value machine" });
      return {
        type: "tableRow",
        attrs: hideWhenEmpty(template),
        content: [cell("key", paragraph(key, { class: "key" }), keyWidth), cell("value", value, valueWidth)],
      };
    }),
  };
}
