import type { DocumentNode, EmailDocument } from "../../format/document";
import { FRAME_TEXTS } from "../texts/texts";
import type { Body, Section } from "./bodies";
import { block, button, hideWhenEmpty, joinLastWords, linked, paragraph, TEXT_SLOTS } from "./pieces";
import { boxed, writeSection } from "./sections";

const section = (look: string, content: readonly DocumentNode[]): DocumentNode => ({
  type: "section",
  attrs: { class: look },
  content,
});

const column = (content: readonly DocumentNode[]): EmailDocument => ({
  type: "doc",
  content: [{ type: "container", content }],
});

const header = (): DocumentNode =>
  section("header", [paragraph("{{ company_name }}", { class: "brand", when: "company_name" })]);

/** Returns the footer with reason, contact, sender and unsubscribe link. `look` is the class of its texts and links. */
function footer({ reason }: Body, look = ""): DocumentNode {
  const { contact, noContact } = FRAME_TEXTS.en;
  const small = `small ${look}`.trim();
  const line = (text: string, slot?: string): DocumentNode =>
    paragraph(text, { class: small, ...(slot === undefined ? {} : { textId: slot }), ...hideWhenEmpty(text) });
  return section("footer", [
    line(reason, TEXT_SLOTS.reason),
    line(contact, TEXT_SLOTS.contact),
    paragraph(noContact, { class: small, textId: TEXT_SLOTS.noContact, when: "system.no_reply" }),
    line("{{ system.footer_text }}"),
    line("{{ system.postal_address }}"),
    linked(
      'Stop emails from {{ company_name|default:"this sender" }}',
      "{{ system.unsubscribe_url }}",
      { class: small, textId: TEXT_SLOTS.unsubscribe, when: "system.unsubscribe_url" },
      look || "soft",
    ),
  ]);
}

const heading = (text: string, look = ""): DocumentNode =>
  block("heading", joinLastWords(text), {
    level: 1,
    textId: TEXT_SLOTS.heading,
    ...(look === "" ? {} : { class: look }),
  });

const action = ({ action: label }: Body): DocumentNode[] =>
  label === undefined ? [] : [button(label, "{{ action_url }}", { textId: TEXT_SLOTS.button })];

/** Returns the advice for unrequested mail and the link of the button as plain text, if the body has them. */
function closing({ footnote, hasAddress }: Body): DocumentNode[] {
  const href = "{{ action_url }}";
  return [
    ...(footnote === undefined
      ? []
      : [paragraph(joinLastWords(footnote), { class: "muted", textId: TEXT_SLOTS.aside })]),
    ...(hasAddress === undefined
      ? []
      : [
          paragraph(FRAME_TEXTS.en.address, { class: "small html-only", textId: TEXT_SLOTS.addressLabel }),
          linked(href, href, { class: "address html-only", textId: TEXT_SLOTS.address }, "soft"),
        ]),
  ];
}

const leadParagraph = ({ lead: text }: Body): DocumentNode =>
  paragraph(joinLastWords(text), { textId: TEXT_SLOTS.lead });

const sections = ({ sections: parts = [] }: Body, write = writeSection): DocumentNode[] => parts.flatMap(write);

/** Returns whether a section precedes the action. Readers stop at the button, so only sections with steps follow it. */
const isBeforeAction = ({ kind }: Section): boolean => kind !== "steps";

/** Returns the sections and the action in order. */
function middle(body: Body, write = writeSection): DocumentNode[] {
  const parts = body.sections ?? [];
  return [
    ...sections({ ...body, sections: parts.filter(isBeforeAction) }, write),
    ...action(body),
    ...sections({ ...body, sections: parts.filter((part) => !isBeforeAction(part)) }, write),
  ];
}

/** The layout of each design set: a function that builds a document from the texts of a design. */
export const FRAMES: Readonly<Record<string, (body: Body) => EmailDocument>> = {
  barebone: (body) =>
    column([
      header(),
      section("panel", [heading(body.title), leadParagraph(body), ...middle(body), ...closing(body)]),
      footer(body),
    ]),

  matte: (body) =>
    column([
      header(),
      section("panel", [
        paragraph(body.eyebrow, { class: "eyebrow", textId: TEXT_SLOTS.sample }),
        heading(body.title),
        leadParagraph(body),
        ...middle(body, (part) => (part.kind === "features" ? boxed(writeSection(part)) : writeSection(part))),
        ...closing(body),
      ]),
      footer(body),
    ]),

  protocol: (body) =>
    column([
      header(),
      section("panel", [
        paragraph(body.eyebrow, { class: "eyebrow", textId: TEXT_SLOTS.sample }),
        heading(body.title),
        leadParagraph(body),
        ...middle(body),
        ...closing(body),
      ]),
      footer(body),
    ]),

  arcane: (body) =>
    column([
      header(),
      section("panel", [
        paragraph("\u2726", { class: "ornament" }),
        paragraph(body.eyebrow, { class: "eyebrow", textId: TEXT_SLOTS.sample }),
        heading(body.title),
        leadParagraph(body),
        ...middle(body),
        ...closing(body),
      ]),
      footer(body),
    ]),

  studio: (body) =>
    column([
      header(),
      section("hero", [
        paragraph(body.eyebrow, { class: "eyebrow on-hero", textId: TEXT_SLOTS.sample }),
        heading(body.title, "on-hero"),
      ]),
      section("panel", [leadParagraph(body), ...middle(body), ...closing(body)]),
      footer(body, "on-dark"),
    ]),
};
