import { SOCIAL_NETWORK_KEYS, SOCIAL_NETWORKS } from "../../../../../schemas/email/content/branding";
import type { DocumentNode, EmailDocument } from "../../format/document";
import { FRAME_TEXTS } from "../texts/texts";
import type { Body, Part } from "./bodies/body";
import { block, button, hideWhenEmpty, joinLastWords, linked, paragraph, TEXT_SLOTS } from "./pieces";
import { type SectionLook, writeSection } from "./sections";

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

/** Returns a line with the names of the social networks that the company has set. Icons would need images and say less. */
function socialLinks(small: string, look: string): DocumentNode {
  const content = SOCIAL_NETWORK_KEYS.flatMap((network): DocumentNode[] => {
    const when = { when: `system.social_${network}` };
    const marks = [{ type: "link", attrs: { href: `{{ system.social_${network} }}`, class: look } }];
    return [
      { type: "text", text: SOCIAL_NETWORKS[network].name, attrs: when, marks },
      { type: "text", text: "\u00a0\u00a0 ", attrs: when },
    ];
  });
  return { type: "paragraph", attrs: { class: `${small} social html-only`, when: "system.social_links" }, content };
}

/** Returns the footer with reason, contact, sender and unsubscribe link. `look` is the class of its texts and links. */
function footer({ reason, tone }: Body, look = "", frame = "footer"): DocumentNode {
  const { contact, noContact } = FRAME_TEXTS.en;
  const small = `small ${look}`.trim();
  const line = (text: string, slot?: string): DocumentNode =>
    paragraph(text, { class: small, ...(slot === undefined ? {} : { textId: slot }), ...hideWhenEmpty(text) });
  return section(frame, [
    line(reason, TEXT_SLOTS.reason),
    line(contact, TEXT_SLOTS.contact),
    paragraph(noContact, { class: small, textId: TEXT_SLOTS.noContact, when: "system.no_reply" }),
    line("{{ system.footer_text }}"),
    ...(tone === "news" || tone === "receipt" ? [socialLinks(small, look || "soft")] : []),
    line("{{ system.postal_address }}"),
    linked(
      'Unsubscribe from {{ company_name|default:"these" }} emails',
      "{{ system.unsubscribe_url }}",
      { class: small, textId: TEXT_SLOTS.unsubscribe, when: "system.unsubscribe_url" },
      look || "soft",
    ),
    ...(tone === "news" || tone === "letter"
      ? [
          linked(
            FRAME_TEXTS.en.preferences,
            "{{ system.preferences_url }}",
            { class: `${small} html-only`, textId: TEXT_SLOTS.preferences, when: "system.preferences_url" },
            look || "soft",
          ),
        ]
      : []),
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

/** Returns the link to the web version, which only broadcasts have. The text part needs none. */
const viewLink = (look = "view"): DocumentNode[] => [
  linked(
    FRAME_TEXTS.en.view,
    "{{ system.view_url }}",
    { class: `small html-only ${look}`, textId: TEXT_SLOTS.view, when: "system.view_url" },
    "soft",
  ),
];

/** Returns the parts of the body in order. `omitted` are parts that the frame shows elsewhere. */
function partsOf(body: Body, look: SectionLook, omitted: readonly Part[] = []): DocumentNode[] {
  const write = (part: Part): DocumentNode[] => {
    if (part === "heading") return [heading(body.title, body.tone === "security" ? "plain-heading" : "")];
    if (part === "lead") return [paragraph(joinLastWords(body.lead), { textId: TEXT_SLOTS.lead })];
    if (part === "action") return action(body);
    if (part === "footnote") return closing(body);
    return writeSection(part, look);
  };
  return body.parts.filter((part) => !omitted.includes(part)).flatMap(write);
}

const eyebrow = (body: Body, look = ""): DocumentNode[] =>
  body.tone === "security" || body.tone === "letter"
    ? []
    : [paragraph(body.eyebrow, { class: `eyebrow html-only ${look}`.trim(), textId: TEXT_SLOTS.sample })];

/** Returns the parts with the short line directly above the heading. */
function partsWithEyebrow(body: Body, look: SectionLook): DocumentNode[] {
  const parts = partsOf(body, look);
  const at = parts.findIndex(({ attrs }) => attrs?.textId === TEXT_SLOTS.heading);
  return [...parts.slice(0, at), ...eyebrow(body), ...parts.slice(at)];
}

const isNews = ({ tone }: Body): boolean => tone === "news";
const isPicture = (part: Part): boolean => typeof part === "object" && part.kind === "picture";

function frame(panel: (body: Body) => DocumentNode[]): (body: Body) => EmailDocument {
  return (body) =>
    column([...(isNews(body) ? viewLink() : []), header(), section(lookOfPanel(body), panel(body)), footer(body)]);
}

const lookOfPanel = ({ tone }: Body): string => (tone === "security" ? "panel plain" : "panel");

const LOOKS = {
  barebone: { set: "barebone", radius: 8, articles: "beside" },
  matte: { set: "matte", radius: 14, articles: "beside" },
  protocol: { set: "protocol", radius: 0, articles: "beside", hasChangeTable: true },
  arcane: { set: "arcane", radius: 6, articles: "stacked" },
  studio: { set: "studio", radius: 0, articles: "beside" },
} as const satisfies Record<string, SectionLook>;

/**
 * Studio shows news below a block of colour with the heading and the picture, and receipts below a quiet block. Security mail and
 * letters have no block.
 */
function studioDocument(body: Body): EmailDocument {
  const look = LOOKS.studio;
  if (body.tone === "security" || body.tone === "letter")
    return column([header(), section("panel plain", partsOf(body, look)), footer(body, "", "footer quiet-footer")]);
  const pictures = body.parts.filter(isPicture);
  const [hero, onHero] = isNews(body) ? ["hero", "on-hero"] : ["hero receipt", ""];
  return column([
    ...(isNews(body) ? viewLink() : []),
    header(),
    section(hero, [...eyebrow(body, onHero), heading(body.title, onHero)]),
    ...pictures.flatMap((part) => (typeof part === "object" ? bleed(writeSection(part, look)) : [])),
    section("panel", partsOf(body, look, ["heading", ...pictures])),
    footer(body, "on-dark"),
  ]);
}

/** Returns a section that shows pictures without a margin. */
const bleed = (nodes: readonly DocumentNode[]): DocumentNode[] =>
  nodes.map((node) => ({ ...node, content: (node.content ?? []).filter(({ type }) => type === "image") }));

/** The layout of each design set: a function that builds a document from the texts of a design. */
export const FRAMES: Readonly<Record<string, (body: Body) => EmailDocument>> = {
  barebone: frame((body) => partsOf(body, LOOKS.barebone)),
  matte: frame((body) => partsWithEyebrow(body, LOOKS.matte)),
  protocol: frame((body) => partsWithEyebrow(body, LOOKS.protocol)),
  arcane: frame((body) => partsWithEyebrow(body, LOOKS.arcane)),
  studio: studioDocument,
};
