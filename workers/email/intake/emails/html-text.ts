import { compile, type FormatCallback } from "html-to-text";
import { memoizePerIsolate } from "../../../kit/memoize-per-isolate";

/** Maximum nesting and number of children that are converted. A deeper mail loses text in its text part, not in its HTML. */
const LIMITS = { maxDepth: 100, maxChildNodes: 2000, ellipsis: "…" };

/** Maximum number of elements. The time of the parser grows with the square of their nesting. */
const MAX_ELEMENTS = 5000;

/** Separates the cells of a row with a space. */
const formatCell: FormatCallback = (cell, walk, builder) => {
  builder.addInline(" ");
  walk(cell.children, builder);
  builder.addInline(" ");
};

// Building the selectors takes longer than converting a short mail.
const converter = memoizePerIsolate(1, () =>
  compile({
    formatters: { cell: formatCell },
    wordwrap: false,
    limits: LIMITS,
    selectors: [
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "img", format: "skip" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, linkBrackets: ["(", ")"] } },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  }),
);

/**
 * Returns the text part for HTML: links show their address, images are omitted, each row of a table is a line, and lines are
 * not wrapped. HTML with very many elements only loses its tags.
 */
export function textOfHtml(html: string): string {
  if ((html.match(/<[a-z]/gi)?.length ?? 0) > MAX_ELEMENTS) return html.replace(/<[^<>]*>/g, " ").trim();
  return converter()(html);
}
