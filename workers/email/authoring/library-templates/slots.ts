import { textOf } from "../../content/documents/document-text";
import { type DocumentNode, type EmailDocument, stringAttribute, walkNodes } from "../../content/format/document";
import { TEXT_SLOTS } from "../../content/library/designs/pieces";

const SLOTS: readonly string[] = Object.values(TEXT_SLOTS);

const slotOf = ({ attrs }: DocumentNode): string | null => {
  const slot = stringAttribute(attrs, "textId");
  return SLOTS.includes(slot) ? slot : null;
};

/**
 * A document whose places for words of an event are those alone that still say what they said `before` (null: nothing was
 * before). What somebody has written in such a place is theirs: no event puts other words there.
 */
export function keepFreeSlots(before: EmailDocument | null, document: EmailDocument): EmailDocument {
  const written = new Set<string>();
  const saying = (slot: string, node: DocumentNode) => `${slot}\n${textOf(node)}`;
  for (const { node } of before === null ? [] : walkNodes(before)) {
    const slot = slotOf(node);
    if (slot !== null) written.add(saying(slot, node));
  }
  const free = (node: DocumentNode): DocumentNode => {
    const slot = slotOf(node);
    const { textId: _textId, ...others } = node.attrs ?? {};
    const isWritten = slot === null || written.has(saying(slot, node));
    return {
      ...node,
      ...(isWritten ? {} : { attrs: others }),
      ...(node.content ? { content: node.content.map(free) } : {}),
    };
  };
  return { ...document, content: document.content.map(free) };
}
