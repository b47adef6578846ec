import {
  type DocumentNode,
  hasClass,
  hrefOf,
  listOf,
  rowTokens,
  sizeAttribute,
  stringAttribute,
} from "../format/document";
import { textEach, textLinked, textNext, textWhen, withoutControls } from "../tokens/marker";
import type { SizeBudget } from "../tokens/size";
import { hasToken } from "../tokens/token";

/** The context that the functions of this file pass on while they write a document. */
interface TextContext {
  /** the separator between a label and its value, from colonOf */
  colon: string;
  /** prefix of every line except the first; the surrounding quotes and lists define it */
  prefix: string;
  /** remaining characters for the prefixes of continuation lines */
  budget: SizeBudget;
}

/** Consecutive paragraphs with this class have no empty line between them, like the lines of a postal address. */
const TIGHT_CLASS = "line";

/** Blocks with this class refer to something that only the HTML part shows, such as a button. The text part omits them. */
const HTML_ONLY_CLASS = "html-only";

/** A paragraph with this class is a sign-in code, which users can type instead of pressing the button. */
const CODE_CLASS = "code";

function linkOf(node: DocumentNode): string {
  const mark = node.marks?.find(({ type }) => type === "link");
  return hrefOf(mark === undefined ? node.attrs : mark.attrs);
}

/** Returns the separator between a label and its value. In French, a non-breaking space precedes the colon. */
export function colonOf(language: string): string {
  return language === "fr" ? "\u00a0: " : ": ";
}

/** Returns the text after the label of a link: a colon and the URL, or "" when the label is the URL. */
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

/** Adds the prefix to every line except the first. Returns "" when the budget is exhausted. */
function prefixLines(text: string, { prefix, budget }: TextContext): string {
  if (prefix === "") return text;
  const lines = text.split("\n");
  budget.left -= (lines.length - 1) * prefix.length;
  return budget.left < 0 ? "" : lines.join(`\n${prefix}`);
}

const withPrefix = (context: TextContext, prefix: string): TextContext => ({
  ...context,
  prefix: context.prefix + prefix,
});

function writeList(node: DocumentNode, context: TextContext): string {
  const start = Number.parseInt(sizeAttribute(node.attrs, "start") || "1", 10);
  const items = (node.content ?? []).map((item, index) => {
    const marker = node.type === "orderedList" ? `${start + index}. ` : "- ";
    return writeWhen(item, marker + writeTextBlocks(item, withPrefix(context, " ".repeat(marker.length))));
  });
  return items.join(`\n${context.prefix}`);
}

/** Rows of two cells in a table with this class contain a name and a value. */
const PAIRS_CLASS = "details";

/** Returns the text of a cell as one line. */
function writeCell(cell: DocumentNode, context: TextContext): string {
  const lines = writeTextBlocks(cell, { ...context, prefix: "" }).split("\n");
  return lines.flatMap((line) => line.trim() || []).join(" ");
}

/** Joins the name and the value of an item with a colon, which is omitted when the value is a token without a value. */
function writePair([name = "", value = ""]: readonly string[], colon: string): string {
  if (value === "") return name;
  const token = /^\{\{ ([\w.]+) \}\}$/.exec(value)?.[1];
  return name + (token === undefined ? colon + value : textWhen(token, colon + value));
}

function writeTable(table: DocumentNode, context: TextContext): string {
  const rows = (table.content ?? []).map((row, index) => {
    const cells = (row.content ?? []).map((cell) => writeWhen(cell, writeCell(cell, context)));
    // The line break is inside the condition, so that an omitted row leaves no empty line.
    const isPair = cells.length <= 2 && hasClass(table, PAIRS_CLASS);
    const filled = cells.filter((cell) => cell !== "");
    const line =
      isPair && listOf(row) !== "" ? writePair(filled, context.colon) : filled.join(isPair ? context.colon : " | ");
    return writeSeparated(row, `\n${context.prefix}`, line, index === 0);
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
      return `> ${writeTextBlocks(node, withPrefix(context, "> "))}`;
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

/** Wraps text in the `when` condition of its node. Line breaks in `text` are omitted together with the text. */
function writeWhen(node: DocumentNode, text: string): string {
  const when = stringAttribute(node.attrs, "when");
  return when === "" || text === "" ? text : textWhen(when, text);
}

/**
 * Writes a block with the separator to the previous block. In a repeated block that comes first, every item but the first
 * starts with the separator.
 */
function writeSeparated(node: DocumentNode, separator: string, text: string, isFirst: boolean): string {
  const list = listOf(node);
  if (list === "") return writeWhen(node, (isFirst ? "" : separator) + text);
  return textEach(list, writeWhen(node, (isFirst ? textNext(separator) : separator) + text));
}

/** Moves the code before the button, because a button in plain text is a long URL that would push the code out of sight. */
function codeFirst(blocks: readonly DocumentNode[]): readonly DocumentNode[] {
  const codeIndex = blocks.findIndex((block) => hasClass(block, CODE_CLASS));
  const buttonIndex = blocks.findIndex(({ type }) => type === "button");
  const button = blocks[buttonIndex];
  if (button === undefined || codeIndex < buttonIndex) return blocks;
  return [
    ...blocks.slice(0, buttonIndex),
    ...blocks.slice(buttonIndex + 1, codeIndex + 1),
    button,
    ...blocks.slice(codeIndex + 1),
  ];
}

/** Returns the plain text of the blocks inside a node, separated by empty lines. Long lines are not wrapped. */
export function writeTextBlocks(node: DocumentNode, context: TextContext): string {
  const lineEnd = `\n${context.prefix}`;
  // Empty lines keep the `>` of quotes but not the indentation of lists.
  const emptyLine = `\n${context.prefix.replace(/(^|> ) +$/, "$1")}${lineEnd}`;
  let text = "";
  let previous: DocumentNode | null = null;
  for (const child of codeFirst(node.content ?? [])) {
    const block = hasClass(child, HTML_ONLY_CLASS) ? "" : writeBlock(child, context);
    if (block === "") continue;
    const isTogether = previous !== null && hasClass(previous, TIGHT_CLASS) && hasClass(child, TIGHT_CLASS);
    text += writeSeparated(child, isTogether ? lineEnd : emptyLine, block, previous === null);
    previous = child;
  }
  return text;
}
