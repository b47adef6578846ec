import type { Attributes, DocumentNode, EmailDocument } from "../render/document";

/**
 * Names of the places whose words adaptation puts in another language or fits to an event; they travel as `textId`,
 * which editors keep and recipients never see.
 */
export const TEXT_SLOTS = {
  heading: "heading",
  lead: "lead",
  button: "button",
  addressLabel: "address-label",
  address: "address",
  aside: "aside",
  sender: "sender",
  unsubscribe: "unsubscribe",
} as const;

/** A paragraph of one text. */
export function paragraph(text: string, attrs: Attributes = {}): DocumentNode {
  return { type: "paragraph", attrs, content: [{ type: "text", text }] };
}

/** A paragraph of one link. */
export function linked(text: string, href: string, attrs: Attributes): DocumentNode {
  return {
    type: "paragraph",
    attrs,
    content: [{ type: "text", text, marks: [{ type: "link", attrs: { href } }] }],
  };
}

/** The main heading of a design. */
export function title(text: string): DocumentNode {
  return {
    type: "heading",
    attrs: { level: 1, textId: TEXT_SLOTS.heading },
    content: [{ type: "text", text }],
  };
}

/** A button to the main link and, below it, the bare link for readers that show no button. */
export function callToAction(label: string): DocumentNode[] {
  return [
    {
      type: "button",
      attrs: { href: "{{ action_url }}", textId: TEXT_SLOTS.button },
      content: [{ type: "text", text: label }],
    },
    paragraph("If the button does not work, copy this address into your browser:", {
      class: "muted html-only",
      textId: TEXT_SLOTS.addressLabel,
    }),
    linked("{{ action_url }}", "{{ action_url }}", { class: "address html-only", textId: TEXT_SLOTS.address }),
  ];
}

/** A design of the set Barebone: company name, one panel, and a footer that tells the sender and a way out. */
export function bareboneDocument(panel: readonly DocumentNode[]): EmailDocument {
  return {
    type: "doc",
    content: [
      {
        type: "container",
        content: [
          {
            type: "section",
            attrs: { class: "header" },
            content: [paragraph("{{ company_name }}", { class: "brand", when: "company_name" })],
          },
          { type: "section", attrs: { class: "panel" }, content: panel },
          {
            type: "section",
            attrs: { class: "footer" },
            content: [
              paragraph("Sent by {{ company_name }}", {
                class: "muted",
                textId: TEXT_SLOTS.sender,
                when: "company_name",
              }),
              linked("Stop these emails", "{{ system.unsubscribe_url }}", {
                class: "muted",
                textId: TEXT_SLOTS.unsubscribe,
                when: "system.unsubscribe_url",
              }),
            ],
          },
        ],
      },
    ],
  };
}

/** A built-in design as the library keeps it, in English and without an event. */
export interface LibraryDesign {
  key: string;
  set: string;
  name: string;
  subject: string;
  preheader: string;
  document: EmailDocument;
}
