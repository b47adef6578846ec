import {
  type DocumentNode,
  hasClass,
  hrefOf,
  listOf,
  rowTokens,
  sizeAttribute,
  stringAttribute,
} from "../format/document";
import {
  splitOpenMarks,
  textEach,
  textLinked,
  textNext,
  textWhen,
  withoutControls,
  withoutMarks,
} from "../tokens/marker";
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

/**
 * Consecutive paragraphs with one of these classes have no empty line between them, like the lines of a postal address, or the
 * title and the text of a step.
 */
const TIGHT_CLASSES = ["line", "step"];

/** Blocks with this class refer to something that only the HTML part shows, such as a button. The text part omits them. */
const HTML_ONLY_CLASS = "html-only";

/** A paragraph with this class is a sign-in code, which users can type instead of pressing the button. */
const CODE_CLASS = "code";

const isTight = (node: DocumentNode): boolean => TIGHT_CLASSES.some((name) => hasClass(node, name));

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

/** Returns the lines of a cell, without empty ones. */
function writeCellLines(cell: DocumentNode, context: TextContext): string[] {
  const lines = writeTextBlocks(cell, { ...context, prefix: "" }).split("\n");
  return lines.flatMap((line) => line.trim() || []);
}

/** Returns whether a line ends with a word, so that a comma can separate it from the next one. */
const endsWithWord = (line: string): boolean => /[\p{L}\p{N}})]$/u.test(withoutMarks(line));

/** Returns the text of a cell as one line. In a table of pairs, commas separate what were lines. */
function writeCell(cell: DocumentNode, isDetails: boolean, context: TextContext): string {
  const [first = "", ...lines] = writeCellLines(cell, context);
  return lines.reduce((text, line) => `${text}${isDetails && endsWithWord(text) ? "," : ""} ${line}`, first);
}

/** Joins the name and the value of an item with a colon, which is omitted when the value is a token without a value. */
function writePair([name = "", value = ""]: readonly string[], colon: string): string {
  if (value === "") return name;
  const token = /^\{\{ ([\w.]+) \}\}$/.exec(value)?.[1];
  return name + (token === undefined ? colon + value : textWhen(token, colon + value));
}

/** Returns the row above a row that repeats over a list, if it has the labels of its columns, or undefined. */
function headerOf(rows: readonly DocumentNode[], index: number): DocumentNode | undefined {
  const list = listOf(rows[index] ?? { type: "" });
  const above = rows[index - 1];
  return list !== "" && stringAttribute(above?.attrs, "when") === list ? above : undefined;
}

/**
 * Writes an item of a list as lines, because a reader of plain text cannot tell the columns of a row apart: its name and details,
 * then each other cell after the label of its column. Without labels, the other cells follow the name.
 */
function writeItem(row: DocumentNode, header: DocumentNode | undefined, context: TextContext): string {
  const cells = (row.content ?? []).map((cell) => ({ cell, lines: writeCellLines(cell, context) }));
  // A cell with a picture has no text. It may share its label with the next cell, so labels are counted from the last column.
  const [name, ...others] = cells.filter(({ lines }) => lines.length > 0);
  if (name === undefined) return "";
  const [title = "", ...details] = name.lines;
  const labels = (header?.content ?? []).map((cell) => writeCell(cell, true, context));
  const amounts = others.map(({ cell }) => {
    const label = labels.at(cells.findIndex((other) => other.cell === cell) - cells.length) ?? "";
    return { label, value: writeWhen(cell, writeCell(cell, true, context)) };
  });
  const [titleText, marks] = splitOpenMarks(title);
  const lines =
    header === undefined
      ? [amounts.reduce((text, { value }) => writePair([text, value], context.colon), titleText) + marks, ...details]
      : [title, ...details, ...amounts.map(({ label, value }) => writePair([label, value], context.colon))];
  // The empty line separates the item from the next one, or from the rows below the list.
  return prefixLines(lines.length > 1 ? `${lines.join("\n")}\n` : lines.join(""), context);
}

function writeTable(table: DocumentNode, context: TextContext): string {
  const nodes = table.content ?? [];
  const isDetails = hasClass(table, PAIRS_CLASS);
  const separator = `\n${context.prefix}`;
  let isFirst = true;
  const rows = nodes.map((row, index) => {
    if (isDetails && headerOf(nodes, index + 1) === row) return "";
    const isItem = isDetails && listOf(row) !== "";
    const line = isItem ? writeItem(row, headerOf(nodes, index), context) : writeRow(row, isDetails, context);
    // The line break is inside the condition, so that an omitted row leaves no empty line.
    const text = writeSeparated(row, separator, line, isFirst);
    isFirst = false;
    return text;
  });
  const tokens = rowTokens(table);
  return tokens === "" ? rows.join("") : textWhen(tokens, rows.join(""));
}

function writeRow(row: DocumentNode, isDetails: boolean, context: TextContext): string {
  const cells = (row.content ?? []).map((cell) => writeWhen(cell, writeCell(cell, isDetails, context)));
  const filled = cells.filter((cell) => cell !== "");
  return filled.join(isDetails && filled.length <= 2 ? context.colon : " | ");
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
    const isTogether = previous !== null && isTight(previous) && isTight(child);
    text += writeSeparated(child, isTogether ? lineEnd : emptyLine, block, previous === null);
    previous = child;
  }
  return text;
}
