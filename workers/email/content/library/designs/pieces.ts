import type { Attributes, DocumentMark, DocumentNode } from "../../format/document";
import { RAW_TOKEN_SOURCE } from "../../tokens/token";

/**
 * Names of the places whose words adaptation puts in another language or fits to an event; they travel as `textId`,
 * which editors keep and recipients never see. What is `sample` shows what a design can hold, and an event has none of it.
 */
export const TEXT_SLOTS = {
  heading: "heading",
  lead: "lead",
  button: "button",
  sample: "sample",
  aside: "aside",
  addressLabel: "address-label",
  address: "address",
  reason: "reason",
  contact: "contact",
  noContact: "no-contact",
  unsubscribe: "unsubscribe",
} as const;

/** A heading or sentence whose last word, where it is a short one, does not stand alone on the last line. */
export const withoutOrphan = (text: string): string =>
  text.split(" ").length < 4 ? text : text.replace(/ (?=[^\s{}]{1,10}$)/, "\u00a0");

/** A block of one text. */
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

/** A paragraph of one text. */
export function paragraph(text: string, attrs: Attributes = {}): DocumentNode {
  return block("paragraph", text, attrs);
}

/** A paragraph of one link; `look` is the class of the link. */
export function linked(text: string, href: string, attrs: Attributes, look = ""): DocumentNode {
  return block("paragraph", text, attrs, [{ type: "link", attrs: { href, ...(look === "" ? {} : { class: look }) } }]);
}

/** A button to a link target. */
export function button(label: string, href: string, attrs: Attributes = {}): DocumentNode {
  return block("button", label, { href, ...attrs });
}

const token = new RegExp(RAW_TOKEN_SOURCE, "g");

/** The attribute that leaves a block out when the first of its tokens without a default is empty. */
export function whenFilled(text: string): Attributes {
  const open = [...text.matchAll(token)].find((match) => match[2] === undefined);
  return open === undefined ? {} : { when: open[1] ?? "" };
}

const MACHINE = /^`(.*)`$/;
/** Letters of names that need no more than a narrow column. */
const SHORT = 7;

/** Facts as a table of two columns, each left out with its value; a value in backticks is machine text. */
export function details(facts: Readonly<Record<string, string>>, attrs: Attributes = {}): DocumentNode {
  const cell = (name: string, content: DocumentNode, width: string): DocumentNode => ({
    type: "tableCell",
    attrs: { class: `${name}-cell`, width },
    content: [content],
  });
  const isNarrow = Object.keys(facts).every((key) => key.length <= SHORT);
  const [keyWidth, valueWidth] = isNarrow ? ["26%", "74%"] : ["36%", "64%"];
  return {
    type: "table",
    attrs: { class: "details", width: "100%", border: 0, cellpadding: 0, cellspacing: 0, ...attrs },
    content: Object.entries(facts).map(([key, written]) => {
      const machine = MACHINE.exec(written)?.[1];
      const value = paragraph(machine ?? written, { class: machine === undefined ? "value" : "value machine" });
      return {
        type: "tableRow",
        attrs: whenFilled(written),
        content: [cell("key", paragraph(key, { class: "key" }), keyWidth), cell("value", value, valueWidth)],
      };
    }),
  };
}
