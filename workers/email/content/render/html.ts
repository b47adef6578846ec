import { escapeHtml } from "../../../kit/pages/html";
import type { DesignSet } from "../design-sets/sets";
import {
  type Attributes,
  type DocumentMark,
  type DocumentNode,
  hasClass,
  hrefOf,
  listOf,
  rowTokens,
  sizeAttribute,
  stringAttribute,
} from "../format/document";
import { isItemPicture } from "../format/pictures";
import { filterStyle, mergeStyles } from "../format/style";
import { withDefaultColours, writeBrand } from "../tokens/brand";
import { htmlEach, htmlLinked, htmlWhen } from "../tokens/marker";
import { hasToken } from "../tokens/token";

/** The context that the functions of this file pass on while they write a document. */
export interface HtmlContext {
  set: DesignSet;
  /** The side on which lines start. */
  side: "left" | "right";
  /** Whether `substitute` adds the logo and colours of a company. */
  isBranded: boolean;
  /** Whether the node is inside a link. Links cannot be nested. */
  isInLink?: boolean;
}

/** The class of blocks that the logo of a company replaces. */
const BRAND_CLASS = "brand";
const MAX_CONTAINER_PX = 600;
const LAYOUT = 'role="presentation" border="0" cellpadding="0" cellspacing="0"';

/** Style of tables with one column. It makes a long URL wrap instead of making the mail wider than the screen. */
export const ONE_COLUMN = "width:100%;table-layout:fixed";

const attribute = (name: string, value: string): string => (value === "" ? "" : ` ${name}="${escapeHtml(value)}"`);

const cssSize = (size: string): string => (/^[\d.]+$/.test(size) ? `${size}px` : size);

function classNames(kind: string, attrs: Attributes | undefined): string[] {
  const classes = stringAttribute(attrs, "class").split(/\s+/);
  return [kind, ...classes.filter((name) => /^[A-Za-z][\w-]*$/.test(name))].filter((name) => name !== "");
}

const lookOf = ({ set }: HtmlContext, name: string): string =>
  Object.hasOwn(set.styles, name) ? (set.styles[name] ?? "") : "";

/** Returns the class, style, lang and dir attributes. Later styles override earlier ones: base, kind, classes, own style. */
function presentation(context: HtmlContext, kind: string, attrs: Attributes | undefined, base = ""): string {
  const classes = classNames(kind, attrs);
  const align =
    stringAttribute(attrs, "textAlign") || stringAttribute(attrs, "alignment") || stringAttribute(attrs, "align");
  const style = mergeStyles(
    base,
    ...classes.map((name) => lookOf(context, name)),
    filterStyle(stringAttribute(attrs, "style")),
    align === "" ? "" : `text-align:${align}`,
  );
  return (
    attribute("class", classes.join(" ")) +
    attribute("style", style) +
    attribute("lang", stringAttribute(attrs, "lang")) +
    attribute("dir", stringAttribute(attrs, "dir"))
  );
}

function writeLink(attrs: Attributes | undefined, context: HtmlContext, inner: string): string {
  const href = hrefOf(attrs);
  if (href === "" || context.isInLink) return inner;
  const title = attribute("title", stringAttribute(attrs, "title"));
  return `<a href="${escapeHtml(href)}"${title}${presentation(context, "link", attrs)}>${inner}</a>`;
}

function writeMark(mark: DocumentMark, context: HtmlContext, inner: string): string {
  switch (mark.type) {
    case "bold":
      return `<strong>${inner}</strong>`;
    case "italic":
      return `<em>${inner}</em>`;
    case "underline":
      return `<u>${inner}</u>`;
    case "strike":
      return `<s>${inner}</s>`;
    case "code":
      return `<code${attribute("style", lookOf(context, "inline-code"))}>${inner}</code>`;
    case "sup":
      return `<sup>${inner}</sup>`;
    case "uppercase":
      return `<span style="text-transform:uppercase">${inner}</span>`;
    case "preservedStyle":
      return `<span${attribute("style", filterStyle(stringAttribute(mark.attrs, "style")))}>${inner}</span>`;
    case "link":
      return writeLink(mark.attrs, context, inner);
    default:
      return inner;
  }
}

const isLink = ({ type }: DocumentMark): boolean => type === "link";

/** Wraps HTML in its marks, from the inside out. The first link becomes the outermost element. Further links are ignored. */
function writeMarks(marks: readonly DocumentMark[] | null | undefined, context: HtmlContext, inner: string): string {
  const allMarks = marks ?? [];
  const ordered = [...allMarks.filter((mark) => !isLink(mark)), ...allMarks.filter(isLink).slice(0, 1)];
  return ordered.reduce((html, mark) => writeMark(mark, context, html), inner);
}

const withLinkState = (marks: readonly DocumentMark[] | null | undefined, context: HtmlContext): HtmlContext =>
  (marks ?? []).some(isLink) ? { ...context, isInLink: true } : context;

function writeImage(node: DocumentNode, context: HtmlContext): string {
  const { attrs } = node;
  const src = stringAttribute(attrs, "src");
  if (src === "") return "";
  const width = sizeAttribute(attrs, "width");
  const height = sizeAttribute(attrs, "height");
  const style = mergeStyles(
    "border:0;max-width:100%;height:auto",
    width === "" ? "" : `width:${cssSize(width)}`,
    filterStyle(stringAttribute(attrs, "style")),
  );
  const size =
    (/^\d+$/.test(width) ? attribute("width", width) : "") + (/^\d+$/.test(height) ? attribute("height", height) : "");
  const alt = ` alt="${escapeHtml(stringAttribute(attrs, "alt"))}"`;
  const title = attribute("title", stringAttribute(attrs, "title"));
  const image = `<img src="${escapeHtml(src)}"${alt}${title}${size}${attribute("style", style)}>`;
  const html = hrefOf(attrs) === "" ? image : writeLink({ href: hrefOf(attrs) }, context, image);
  // The address of a picture of a variable must be allowed in the mail, like that of a link.
  return isItemPicture(src) ? htmlLinked(escapeHtml(src), html) : html;
}

function writeInline(node: DocumentNode, context: HtmlContext): string {
  const when = stringAttribute(node.attrs, "when");
  let inner = node.type === "hardBreak" ? "<br>" : escapeHtml(node.text ?? "");
  if (node.type === "image") inner = writeImage(node, withLinkState(node.marks, context));
  const html = writeMarks(node.marks, context, inner);
  return when === "" ? html : htmlWhen(when, html);
}

function writeInlines(node: DocumentNode, context: HtmlContext): string {
  const html = (node.content ?? []).map((child) => writeInline(child, context)).join("");
  // An empty paragraph is a blank line. Without a character, it would have no height.
  return html === "" ? "&nbsp;" : html;
}

function writeTable(context: HtmlContext, kind: string, attrs: Attributes | undefined, inner: string): string {
  return `<table ${LAYOUT} width="100%" style="${ONE_COLUMN};border-collapse:separate"><tr><td align="${context.side}"${presentation(context, kind, attrs)}>${inner}</td></tr></table>`;
}

/** Writes a centred column of at most 600 px. Outlook ignores max-width, so it gets an additional table with a fixed width. */
function writeContainer(node: DocumentNode, context: HtmlContext): string {
  const requestedWidth = Number.parseInt(sizeAttribute(node.attrs, "width"), 10);
  const isPercent = sizeAttribute(node.attrs, "width").endsWith("%");
  const width = requestedWidth > 0 && !isPercent ? Math.min(requestedWidth, MAX_CONTAINER_PX) : MAX_CONTAINER_PX;
  const cell = `<td align="${context.side}"${presentation(context, "container", node.attrs)}>${writeBlocks(node, context)}</td>`;
  return (
    `<!--[if mso]><table ${LAYOUT} align="center" width="${width}"><tr><td><![endif]-->` +
    `<table ${LAYOUT} align="center" width="100%" style="${ONE_COLUMN};max-width:${width}px;margin:0 auto"><tr>${cell}</tr></table>` +
    "<!--[if mso]></td></tr></table><![endif]-->"
  );
}

/** Writes a button in a table cell. Outlook ignores the padding of links, but respects the padding of cells. */
function writeButton(node: DocumentNode, context: HtmlContext): string {
  const href = hrefOf(node.attrs);
  if (href === "") return "";
  const nodeStyle = filterStyle(stringAttribute(node.attrs, "style"));
  const look = [lookOf(context, "button"), lookOf(context, "button-label")] as const;
  // The label colour of the brand fits only the brand colour, so a button with its own background uses the default colours.
  const [box, label] = nodeStyle.includes("background-color:")
    ? [withDefaultColours(look[0]), withDefaultColours(look[1])]
    : look;
  const style = mergeStyles(box, nodeStyle);
  const declared = (property: string) => new RegExp(`(?:^|;)${property}:([^;]+)`).exec(style)?.[1];
  const colour = declared("color");
  const labelStyle = mergeStyles(
    `display:inline-block;padding:13px 26px;border-radius:${declared("border-radius") ?? "0"};mso-padding-alt:0`,
    label,
    colour === undefined ? "" : `color:${colour}`,
  );
  const html =
    `<table ${LAYOUT} class="button-table"${attribute("style", mergeStyles("margin:0 0 24px", lookOf(context, "button-table")))}><tr>` +
    `<td align="center"${attribute("bgcolor", declared("background-color") ?? "")} class="button"${attribute("style", `${style};mso-padding-alt:13px 26px`)}>` +
    `<a href="${escapeHtml(href)}" class="button-label"${attribute("style", labelStyle)}>${writeInlines(node, { ...context, isInLink: true })}</a>` +
    "</td></tr></table>";
  return hasToken(href) ? htmlLinked(escapeHtml(href), html) : html;
}

function writeColumns(node: DocumentNode, context: HtmlContext): string {
  const columns = node.content ?? [];
  const share = `${Math.floor(100 / Math.max(columns.length, 1))}%`;
  const cells = columns.map((column) => {
    const width = sizeAttribute(column.attrs, "width") || share;
    const look = presentation(context, "column", column.attrs, "padding:0 8px");
    const cell = `<td valign="top" align="${context.side}"${attribute("width", width)}${look}>${writeBlocks(column, context)}</td>`;
    return writeWhen(column, cell);
  });
  return `<table ${LAYOUT} width="100%"${presentation(context, "", node.attrs, "width:100%")}><tr>${cells.join("")}</tr></table>`;
}

function writeCell(node: DocumentNode, context: HtmlContext): string {
  const { attrs } = node;
  const tag = node.type === "tableHeader" ? "th" : "td";
  const names = ["colspan", "rowspan", "width", "height", "valign"];
  const sizes = names.map((name) => attribute(name, sizeAttribute(attrs, name))).join("");
  const look = presentation(context, "item", attrs, "margin:0;padding:4px 8px 4px 0");
  return writeWhen(node, `<${tag} align="${context.side}"${sizes}${look}>${writeBlocks(node, context)}</${tag}>`);
}

function writeDataTable(node: DocumentNode, context: HtmlContext): string {
  const { attrs } = node;
  const rows = node.content ?? [];
  const hasHeader = rows.some((row) => (row.content ?? []).some((cell) => cell.type === "tableHeader"));
  const role = stringAttribute(attrs, "role") || (hasHeader ? "" : "presentation");
  const names = ["width", "height", "border", "cellpadding", "cellspacing"];
  const sizes = names.map((name) => attribute(name, sizeAttribute(attrs, name))).join("");
  const html = rows.map((row) => {
    const valign = attribute("valign", stringAttribute(row.attrs, "valign"));
    const cells = (row.content ?? []).map((cell) => writeCell(cell, context)).join("");
    return writeWhen(row, `<tr${valign}${presentation(context, "", row.attrs)}>${cells}</tr>`);
  });
  const table = `<table${attribute("role", role)}${sizes}${presentation(context, "", attrs, "margin:0 0 16px")}>${html.join("")}</table>`;
  const tokens = rowTokens(node);
  return tokens === "" ? table : htmlWhen(tokens, table);
}

function writeList(node: DocumentNode, context: HtmlContext): string {
  const tag = node.type === "orderedList" ? "ol" : "ul";
  const numbering =
    attribute("start", sizeAttribute(node.attrs, "start")) + attribute("type", sizeAttribute(node.attrs, "type"));
  const items = (node.content ?? []).map((item) =>
    writeWhen(item, `<li${presentation(context, "item", item.attrs)}>${writeBlocks(item, context)}</li>`),
  );
  return `<${tag}${tag === "ol" ? numbering : ""}${presentation(context, "list", node.attrs)}>${items.join("")}</${tag}>`;
}

function writeHeading(node: DocumentNode, context: HtmlContext): string {
  const level = sizeAttribute(node.attrs, "level") || "1";
  const tag = `h${level}`;
  return `<${tag}${presentation(context, level === "1" ? "heading" : "subheading", node.attrs)}>${writeInlines(node, context)}</${tag}>`;
}

/** Centres or right-aligns a button or image with a table cell, which all mail clients support. */
function writeAligned({ attrs }: DocumentNode, html: string): string {
  const side = stringAttribute(attrs, "alignment") || stringAttribute(attrs, "align");
  if (html === "" || (side !== "center" && side !== "right")) return html;
  return `<table ${LAYOUT} width="100%"><tr><td align="${side}">${html}</td></tr></table>`;
}

function writeBlock(node: DocumentNode, context: HtmlContext): string {
  switch (node.type) {
    case "container":
      return writeContainer(node, context);
    case "body":
    case "section":
      return writeTable(context, "", node.attrs, writeBlocks(node, context));
    case "div":
      return `<div${presentation(context, "", node.attrs)}>${writeBlocks(node, context)}</div>`;
    case "blockquote":
      return `<blockquote${presentation(context, "quote", node.attrs)}>${writeBlocks(node, context)}</blockquote>`;
    case "heading":
      return writeHeading(node, context);
    case "horizontalRule":
      return `<hr${presentation(context, "rule", node.attrs)}>`;
    case "bulletList":
    case "orderedList":
      return writeList(node, context);
    case "codeBlock":
      return `<pre${presentation(context, "preformatted", node.attrs)}>${writeInlines(node, context)}</pre>`;
    case "table":
      return writeDataTable(node, context);
    case "twoColumns":
    case "threeColumns":
    case "fourColumns":
      return writeColumns(node, context);
    case "button":
      return writeAligned(node, writeButton(node, context));
    case "image":
      return writeAligned(node, writeMarks(node.marks, context, writeImage(node, withLinkState(node.marks, context))));
    case "paragraph":
      return `<p${presentation(context, "text", node.attrs)}>${writeInlines(node, context)}</p>`;
    default:
      // Mails do not show `previewText` and `globalContent`.
      return "";
  }
}

/** Wraps HTML in the `when` condition of its node, and in the list that the node repeats over. */
function writeWhen(node: DocumentNode, html: string): string {
  const when = stringAttribute(node.attrs, "when");
  const block = when === "" || html === "" ? html : htmlWhen(when, html);
  const list = listOf(node);
  return list === "" || block === "" ? block : htmlEach(list, block);
}

function writeChild(node: DocumentNode, context: HtmlContext): string {
  const html = writeWhen(node, writeBlock(node, context));
  return context.isBranded && hasClass(node, BRAND_CLASS) ? writeBrand(html, lookOf(context, "monogram")) : html;
}

/** Returns the HTML of the blocks inside a node. */
export function writeBlocks(node: DocumentNode, context: HtmlContext): string {
  return (node.content ?? []).map((child) => writeChild(child, context)).join("");
}
