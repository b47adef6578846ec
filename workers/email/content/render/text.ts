import { type DocumentNode, hasClass, hrefOf, rowTokens, sizeAttribute, stringAttribute } from "../format/document";
import { textLinked, textWhen, withoutControls } from "../tokens/marker";
import type { SizeBudget } from "../tokens/size";
import { hasToken } from "../tokens/token";

/** What the writers of the text need to know of the whole. */
interface TextContext {
  /** as of `colonOf` */
  colon: string;
  /** what stands in front of every line but the first, by the quotes and lists around it */
  prefix: string;
  /** for the prefixes of lines that are no blocks of their own */
  budget: SizeBudget;
}

/** Paragraphs of this class follow each other without an empty line, as the lines of an address do. */
const TIGHT_CLASS = "line";

/** Blocks of this class speak about what only HTML shows, such as a button, and are left out of the text. */
const HTML_ONLY_CLASS = "html-only";

/** A paragraph of this class is a code that stands for the link of a button. */
const CODE_CLASS = "code";

function linkOf(node: DocumentNode): string {
  const mark = node.marks?.find(({ type }) => type === "link");
  return hrefOf(mark === undefined ? node.attrs : mark.attrs);
}

/** What stands between a label and its value; French keeps a space before the colon, and never breaks the line there. */
export function colonOf(language: string): string {
  return language === "fr" ? "\u00a0: " : ": ";
}

/** `label: URL`, or the label alone where it is the URL. */
function writeTarget(label: string, href: string, colon: string): string {
  if (href === "" || label.trim() === href || `mailto:${label.trim()}` === href) return "";
  const target = colon + withoutControls(href);
  return hasToken(href) ? textLinked(href, target) : target;
}

function writeInlines(node: DocumentNode, colon: string): string {
  let text = "";
  let label = "";
  let href = "";
  const closeLink = () => {
    text += label + writeTarget(label, href, colon);
    label = "";
  };
  for (const child of node.content ?? []) {
    if (linkOf(child) !== href) {
      closeLink();
      href = linkOf(child);
    }
    const when = stringAttribute(child.attrs, "when");
    let piece = (child.text ?? "").replace(/\s+/g, " ");
    if (child.type === "hardBreak") piece = "\n";
    if (child.type === "image") piece = stringAttribute(child.attrs, "alt");
    label += when === "" ? withoutControls(piece) : textWhen(when, withoutControls(piece));
  }
  closeLink();
  return text.trim();
}

/** The lines of a block with their prefix; what there is no room for is left out. */
function prefixLines(text: string, { prefix, budget }: TextContext): string {
  if (prefix === "") return text;
  const lines = text.split("\n");
  budget.left -= (lines.length - 1) * prefix.length;
  return budget.left < 0 ? "" : lines.join(`\n${prefix}`);
}

const inside = (context: TextContext, prefix: string): TextContext => ({ ...context, prefix: context.prefix + prefix });

function writeList(node: DocumentNode, context: TextContext): string {
  const start = Number.parseInt(sizeAttribute(node.attrs, "start") || "1", 10);
  const items = (node.content ?? []).map((item, index) => {
    const marker = node.type === "orderedList" ? `${start + index}. ` : "- ";
    return writeWhen(item, marker + writeTextBlocks(item, inside(context, " ".repeat(marker.length))));
  });
  return items.join(`\n${context.prefix}`);
}

/** Rows of a table of this class are pairs of a name and its value. */
const PAIRS_CLASS = "details";

/** The lines of a cell in one. */
function writeCell(cell: DocumentNode, context: TextContext): string {
  const lines = writeTextBlocks(cell, { ...context, prefix: "" }).split("\n");
  return lines.flatMap((line) => line.trim() || []).join(" ");
}

function writeTable(table: DocumentNode, context: TextContext): string {
  const between = hasClass(table, PAIRS_CLASS) ? context.colon : " | ";
  const rows = (table.content ?? []).map((row, index) => {
    const cells = (row.content ?? []).map((cell) => writeWhen(cell, writeCell(cell, context)));
    // The line end goes with its row.
    return writeWhen(
      row,
      (index === 0 ? "" : `\n${context.prefix}`) + cells.filter((cell) => cell !== "").join(between),
    );
  });
  const tokens = rowTokens(table);
  return tokens === "" ? rows.join("") : textWhen(tokens, rows.join(""));
}

function writeButton(node: DocumentNode, colon: string): string {
  const href = hrefOf(node.attrs);
  if (href === "") return "";
  const line = `${writeInlines(node, colon)}${colon}${withoutControls(href)}`;
  return hasToken(href) ? textLinked(href, line) : line;
}

function writeImage(node: DocumentNode, colon: string): string {
  const alt = withoutControls(stringAttribute(node.attrs, "alt"));
  const href = linkOf(node);
  return alt === "" ? "" : alt + writeTarget(alt, href, colon);
}

function writeBlock(node: DocumentNode, context: TextContext): string {
  const { colon } = context;
  switch (node.type) {
    case "paragraph":
    case "heading":
      return prefixLines(writeInlines(node, colon), context);
    case "horizontalRule":
      return "----------";
    case "bulletList":
    case "orderedList":
      return writeList(node, context);
    case "codeBlock":
      return prefixLines(withoutControls((node.content ?? []).map((child) => child.text ?? "").join("")), context);
    case "blockquote":
      return `> ${writeTextBlocks(node, inside(context, "> "))}`;
    case "table":
      return writeTable(node, context);
    case "button":
      return prefixLines(writeButton(node, colon), context);
    case "image":
      return prefixLines(writeImage(node, colon), context);
    case "previewText":
    case "globalContent":
      return "";
    default:
      return writeTextBlocks(node, context);
  }
}

/** The line ends belong to the block, so that they leave the mail together with it. */
function writeWhen(node: DocumentNode, text: string): string {
  const when = stringAttribute(node.attrs, "when");
  return when === "" || text === "" ? text : textWhen(when, text);
}

/** In text a button is a long address, which would push the code behind it out of sight: the code comes first. */
function codeFirst(blocks: readonly DocumentNode[]): readonly DocumentNode[] {
  const code = blocks.findIndex((block) => hasClass(block, CODE_CLASS));
  const at = blocks.findIndex(({ type }) => type === "button");
  const button = blocks[at];
  if (button === undefined || code < at) return blocks;
  return [...blocks.slice(0, at), ...blocks.slice(at + 1, code + 1), button, ...blocks.slice(code + 1)];
}

/** The plain text of the blocks inside a node: lines and empty lines between them, not yet wrapped. */
export function writeTextBlocks(node: DocumentNode, context: TextContext): string {
  const lineEnd = `\n${context.prefix}`;
  // Of lists nothing stands on an empty line.
  const emptyLine = `\n${context.prefix.replace(/(^|> ) +$/, "$1")}${lineEnd}`;
  let text = "";
  let previous: DocumentNode | null = null;
  for (const child of codeFirst(node.content ?? [])) {
    const block = hasClass(child, HTML_ONLY_CLASS) ? "" : writeBlock(child, context);
    if (block === "") continue;
    const isTogether = previous !== null && hasClass(previous, TIGHT_CLASS) && hasClass(child, TIGHT_CLASS);
    text += writeWhen(child, (previous === null ? "" : isTogether ? lineEnd : emptyLine) + block);
    previous = child;
  }
  return text;
}
