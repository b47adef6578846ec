import MarkdownIt from "markdown-it";

/** Returns whether a link may keep its target: http, https, mailto and paths of this origin. */
export function isSafeTarget(target: string): boolean {
  return /^(?:https?:\/\/|mailto:)\S+$/i.test(target) || /^\/(?!\/|\\|%5c)\S*$/i.test(target);
}

const markdown = new MarkdownIt({ html: false, linkify: true });
// HTML in the source is shown as text. A link with a target that isSafeTarget rejects is shown as text too. Images are
// disabled, because they could load from any host.
markdown.validateLink = isSafeTarget;
markdown.disable("image");
markdown.linkify.set({ fuzzyLink: false });

// The page shows its own h1, so the document's h1 is removed and its other headings start at h2.
markdown.core.ruler.push("headings", ({ tokens }) => {
  if (tokens[0]?.tag === "h1") tokens.splice(0, 3);
  const headings = tokens.filter(({ type }) => type.startsWith("heading_"));
  const levels = headings.map(({ tag }) => Number(tag.slice(1)));
  const top = Math.min(...levels);
  for (const [index, token] of headings.entries()) token.tag = `h${Math.min(6, (levels[index] ?? top) - top + 2)}`;
});

// The content security policy allows no inline styles, so a class aligns the columns.
markdown.core.ruler.push("columns", ({ tokens }) => {
  for (const token of tokens.filter(({ type }) => type === "th_open" || type === "td_open")) {
    const side = /text-align:(\w+)/.exec(String(token.attrGet("style")))?.[1];
    token.attrs = side === undefined || side === "left" ? [] : [["class", side]];
  }
});

const { rules } = markdown.renderer;
// `tabindex` lets keyboard users scroll a table that is wider than the page.
rules.table_open = () => '<div class="table-scroll" tabindex="0"><table>';
rules.table_close = () => "</table></div>";
rules.link_open = (tokens, index, options, _env, renderer) => {
  const link = tokens[index];
  if (link !== undefined && /^https?:/i.test(String(link.attrGet("href")))) {
    link.attrSet("target", "_blank");
    link.attrSet("rel", "noopener noreferrer");
  }
  return renderer.renderToken(tokens, index, options);
};

/** Returns a document as HTML that contains no scripts, inline styles, images or h1. */
export function renderMarkdown(source: string): string {
  return markdown.render(source);
}
