import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { BROADCAST_EVENT } from "../event-types/broadcast-event";
import { type DocumentNode, type EmailDocument, stringAttribute } from "../format/document";
import { linked, TEXT_SLOTS } from "../library/designs/pieces";
import { FRAME_TEXTS, REASON_TEXTS } from "../library/texts/texts";
import { missingLinks } from "./auth-checks";

const UNSUBSCRIBE_URL = "system.unsubscribe_url";
const UNSUBSCRIBE = {
  en: 'Unsubscribe from {{ company_name|default:"these" }} emails',
  fr: "Ne plus recevoir ces e-mails",
} as const;

const linkEvent = {
  ...BROADCAST_EVENT,
  variables: [{ token: UNSUBSCRIBE_URL, type: "url", required: true, example: "" } as const],
};

/** Returns whether every mail of this document shows the unsubscribe link, as the target of visible content or as text. */
export const hasUnsubscribeLink = (document: EmailDocument): boolean =>
  missingLinks(linkEvent, { document }).length === 0;

/**
 * Adapts a design to a broadcast: fills the footer with the texts of the language and adds an unsubscribe paragraph if the
 * design has no unsubscribe link. The other texts stay as they are, because the author edits them.
 */
export function adaptToBroadcast(design: EmailDocument, language: EmailLanguage): EmailDocument {
  const document = { ...design, content: design.content.map((node) => fillFooter(node, language)) };
  if (hasUnsubscribeLink(document)) return document;
  const link = linked(UNSUBSCRIBE[language], `{{ ${UNSUBSCRIBE_URL} }}`, {});
  const at = document.content.findLastIndex(({ type }) => type === "container" || type === "body");
  const target = document.content[at];
  if (target === undefined) return { ...document, content: [...document.content, link] };
  return { ...document, content: document.content.with(at, appendInside(target, link)) };
}

/** Appends a node to the innermost container of a node that has at most one container per level. */
function appendInside(node: DocumentNode, added: DocumentNode): DocumentNode {
  const content = node.content ?? [];
  const at = content.findLastIndex(({ type }) => type === "container");
  const inner = content[at];
  if (inner === undefined) return { ...node, content: [...content, added] };
  return { ...node, content: content.with(at, appendInside(inner, added)) };
}

function fillFooter(node: DocumentNode, language: EmailLanguage): DocumentNode {
  const texts: Readonly<Record<string, string>> = {
    [TEXT_SLOTS.reason]: REASON_TEXTS.company[language],
    [TEXT_SLOTS.contact]: FRAME_TEXTS[language].contact,
    [TEXT_SLOTS.noContact]: FRAME_TEXTS[language].noContact,
    [TEXT_SLOTS.unsubscribe]: UNSUBSCRIBE[language],
    [TEXT_SLOTS.preferences]: FRAME_TEXTS[language].preferences,
    [TEXT_SLOTS.view]: FRAME_TEXTS[language].view,
  };
  const text = texts[stringAttribute(node.attrs, "textId")];
  if (text === undefined)
    return node.content === undefined
      ? node
      : { ...node, content: node.content.map((child) => fillFooter(child, language)) };
  const marks = node.content?.[0]?.marks;
  return { ...node, content: [{ type: "text", text, ...(marks === undefined ? {} : { marks }) }] };
}
