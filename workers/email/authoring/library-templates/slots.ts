import { textOf } from "../../content/documents/document-text";
import { type DocumentNode, type EmailDocument, stringAttribute, walkNodes } from "../../content/format/document";
import { TEXT_SLOTS } from "../../content/library/designs/pieces";

const SLOTS: readonly string[] = Object.values(TEXT_SLOTS);

const slotOf = ({ attrs }: DocumentNode): string | null => {
  const slot = stringAttribute(attrs, "textId");
  return SLOTS.includes(slot) ? slot : null;
};

/**
 * Removes the text slot from every node whose text is not in `before`, the stored document. If `before` is null, removes every
 * slot. Without a slot, adapting the design to an event does not overwrite the text that the author wrote.
 */
export function keepUneditedSlots(before: EmailDocument | null, document: EmailDocument): EmailDocument {
  const unchangedSlots = new Set<string>();
  const slotAndText = (slot: string, node: DocumentNode) => `${slot}\n${textOf(node)}`;
  for (const { node } of before === null ? [] : walkNodes(before)) {
    const slot = slotOf(node);
    if (slot !== null) unchangedSlots.add(slotAndText(slot, node));
  }
  const removeEditedSlots = (node: DocumentNode): DocumentNode => {
    const slot = slotOf(node);
    const { textId: _textId, ...otherAttributes } = node.attrs ?? {};
    const isUnchanged = slot === null || unchangedSlots.has(slotAndText(slot, node));
    return {
      ...node,
      ...(isUnchanged ? {} : { attrs: otherAttributes }),
      ...(node.content ? { content: node.content.map(removeEditedSlots) } : {}),
    };
  };
  return { ...document, content: document.content.map(removeEditedSlots) };
}
