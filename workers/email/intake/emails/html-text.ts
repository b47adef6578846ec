import { convert } from "html-to-text";

/** Maximum nesting and number of children that are converted. A deeper mail loses text in its text part, not in its HTML. */
const LIMITS = { maxDepth: 100, maxChildNodes: 2000, ellipsis: "…" };

/** Returns the text part for HTML: links show their address, images are omitted, and lines are not wrapped. */
export function textOfHtml(html: string): string {
  return convert(html, {
    wordwrap: false,
    limits: LIMITS,
    selectors: [
      { selector: "img", format: "skip" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, linkBrackets: ["(", ")"] } },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
}
