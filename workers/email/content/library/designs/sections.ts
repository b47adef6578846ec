import type { Attributes, DocumentNode } from "../../format/document";
import type { Section } from "./bodies";
import { block, details, joinLastWords, paragraph, TEXT_SLOTS } from "./pieces";

const SAMPLE: Attributes = { textId: TEXT_SLOTS.sample };

const group = (content: readonly DocumentNode[], look = ""): DocumentNode => ({
  type: look === "" ? "div" : "section",
  attrs: { ...SAMPLE, ...(look === "" ? {} : { class: look }) },
  content,
});

const subheading = (text: string, look: string): DocumentNode =>
  block("heading", joinLastWords(text), { level: 2, class: look });

/** Returns the table of an order, with right-aligned amounts. */
function order({ lines, total }: Extract<Section, { kind: "order" }>): DocumentNode {
  const table = details(lines);
  const rows = [...(table.content ?? []), ...(details({ [total[0]]: total[1] }).content ?? [])];
  const isLast = (index: number) => index === rows.length - 1;
  const content = rows.map((row, index) => ({
    ...row,
    content: (row.content ?? []).map((cell, column) => ({
      ...cell,
      attrs: { ...cell.attrs, width: column === 0 ? "70%" : "30%" },
      content: (cell.content ?? []).map((text) => ({
        ...text,
        attrs: { class: `value${column === 0 ? "" : " end"}${isLast(index) ? " total" : ""}` },
      })),
    })),
  }));
  return { ...table, attrs: { ...table.attrs, textId: TEXT_SLOTS.items }, content };
}

/** Returns the nodes of a sample section. */
export function writeSection(section: Section): DocumentNode[] {
  switch (section.kind) {
    case "facts":
      return [details(section.rows, SAMPLE)];
    case "features":
      return Object.entries(section.items).map(([title, text]) =>
        group([subheading(title, "story"), paragraph(joinLastWords(text), { class: "story" })]),
      );
    case "steps":
      return [
        {
          type: "orderedList",
          attrs: SAMPLE,
          content: section.items.map((text) => ({ type: "listItem", content: [paragraph(text, { class: "step" })] })),
        },
      ];
    case "order":
      return [order(section)];
    case "offer":
      return [
        group(
          [
            paragraph(section.large, { class: "offer" }),
            paragraph(section.text),
            paragraph(section.code, { class: "code boxed-code" }),
          ],
          "box",
        ),
        paragraph("\u00a0", { class: "gap", ...SAMPLE }),
      ];
    case "quote":
      return [
        {
          type: "blockquote",
          attrs: SAMPLE,
          content: [
            paragraph(joinLastWords(section.text), { class: "said" }),
            paragraph(section.by, { class: "muted" }),
          ],
        },
      ];
  }
}

/** Wraps nodes in a tinted box and adds a gap below it. */
export function boxed(nodes: readonly DocumentNode[]): DocumentNode[] {
  return [group(nodes, "box"), paragraph("\u00a0", { class: "gap", ...SAMPLE })];
}
