import MarkdownIt from "markdown-it";

/** The target of a link, when it may be one: http, https, mailto and the own origin. */
export function isSafeTarget(target: string): boolean {
  return /^(?:https?:\/\/|mailto:)\S+$/i.test(target) || /^\/(?!\/|\\|%5c)\S*$/i.test(target);
}

const markdown = new MarkdownIt({ html: false, linkify: true });
// What looks like HTML is text, and a link that leads elsewhere stays what was written. Pictures would be loaded from hosts that
// nobody named.
markdown.validateLink = isSafeTarget;
markdown.disable("image");
markdown.linkify.set({ fuzzyLink: false });

// The page has the first heading: that of the document is left out, and the others begin at the second level.
markdown.core.ruler.push("headings", ({ tokens }) => {
  if (tokens[0]?.tag === "h1") tokens.splice(0, 3);
  const headings = tokens.filter(({ type }) => type.startsWith("heading_"));
  const levels = headings.map(({ tag }) => Number(tag.slice(1)));
  const top = Math.min(...levels);
  for (const [at, token] of headings.entries()) token.tag = `h${Math.min(6, (levels[at] ?? top) - top + 2)}`;
});

// The content policy allows no styles in the page, so a column is aligned by a class.
markdown.core.ruler.push("columns", ({ tokens }) => {
  for (const token of tokens.filter(({ type }) => type === "th_open" || type === "td_open")) {
    const side = /text-align:(\w+)/.exec(String(token.attrGet("style")))?.[1];
    token.attrs = side === undefined || side === "left" ? [] : [["class", side]];
  }
});

const { rules } = markdown.renderer;
// A table that is wider than the page is wound, by keys too.
rules.table_open = () => '<div class="table-scroll" tabindex="0"><table>';
rules.table_close = () => "</table></div>";
rules.link_open = (tokens, at, options, _env, renderer) => {
  const link = tokens[at];
  if (link !== undefined && /^https?:/i.test(String(link.attrGet("href")))) {
    link.attrSet("target", "_blank");
    link.attrSet("rel", "noopener noreferrer");
  }
  return renderer.renderToken(tokens, at, options);
};

/** A document as HTML that holds no scripts, no styles and no other hosts; without a heading of its own at the top. */
export function renderMarkdown(source: string): string {
  return markdown.render(source);
}
