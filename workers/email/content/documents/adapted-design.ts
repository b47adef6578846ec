import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { EmailLanguage } from "../../../../schemas/email/content/catalog-texts";
import { type DocumentNode, type EmailDocument, stringAttribute } from "../format/document";
import { adaptDesign } from "../library/adaptation";
import { TEXT_SLOTS } from "../library/designs/pieces";
import { tokensOf } from "../tokens/token";
import { missingLinks } from "./auth-checks";
import { stringsOf } from "./document-text";

const SIGN_IN_CODE = "sign_in_code";

/**
 * Adapts a design to an event. For sign-in mail, it also adds the sign-in button and the sign-in code if the design does not
 * show them.
 */
export function adaptToEvent(
  design: EmailDocument,
  event: CatalogEvent,
  language: EmailLanguage,
  authLinkHosts: readonly string[],
): EmailDocument {
  const adapted = (document: EmailDocument) => adaptDesign(document, event, language, authLinkHosts);
  const document = adapted(design);
  if (event.lane_class !== "auth") return document;
  const isMissing = missingLinks(event, { document }).includes(event.link_token);
  const withLink = isMissing ? appendToPanel(document, adapted(buttonOf(event)).content) : document;
  const hasCode = event.variables.some(({ token }) => token === SIGN_IN_CODE);
  const showsCode = tokensOf(...stringsOf(withLink)).has(SIGN_IN_CODE);
  return hasCode && !showsCode ? appendToPanel(withLink, [CODE]) : withLink;
}

/** Returns a document that contains only a button. adaptDesign replaces the label with the text of the event. */
function buttonOf({ label }: CatalogEvent): EmailDocument {
  const attrs = { href: "{{ action_url }}", textId: TEXT_SLOTS.button };
  return { type: "doc", content: [{ type: "button", attrs, content: [{ type: "text", text: label }] }] };
}

const CODE: DocumentNode = {
  type: "paragraph",
  attrs: { class: "code", when: SIGN_IN_CODE },
  content: [{ type: "text", text: `{{ ${SIGN_IN_CODE} }}` }],
};

/** Appends nodes to the first panel, else to the first container, else to the document. */
function appendToPanel(document: EmailDocument, nodes: readonly DocumentNode[]): EmailDocument {
  const isPanel = (node: DocumentNode) => stringAttribute(node.attrs, "class").split(/\s+/).includes("panel");
  const isContainer = (node: DocumentNode) => node.type === "container";
  for (const isTarget of [isPanel, isContainer]) {
    const [content, isDone] = appendInside(document.content, isTarget, nodes);
    if (isDone) return { ...document, content };
  }
  return { ...document, content: [...document.content, ...nodes] };
}

function appendInside(
  siblings: readonly DocumentNode[],
  isTarget: (node: DocumentNode) => boolean,
  nodes: readonly DocumentNode[],
): [DocumentNode[], boolean] {
  let isDone = false;
  const content = siblings.map((node) => {
    if (isDone) return node;
    if (isTarget(node)) {
      isDone = true;
      return { ...node, content: [...(node.content ?? []), ...nodes] };
    }
    if (node.content === undefined) return node;
    const [inner, isDoneInside] = appendInside(node.content, isTarget, nodes);
    isDone = isDoneInside;
    return isDone ? { ...node, content: inner } : node;
  });
  return [content, isDone];
}
