import { type DocumentNode, sizeAttribute, stringAttribute } from "./document";
import { textLinked, textWhen, withoutControls } from "./marker";
import { hasToken } from "./token";

/** Paragraphs of this class follow each other without an empty line, as the lines of an address do. */
const TIGHT_CLASS = "line";

/** Blocks of this class speak about what only HTML shows, such as a button, and are left out of the text. */
const HTML_ONLY_CLASS = "html-only";

function linkOf(node: DocumentNode): string {
  const mark = node.marks?.find(({ type }) => type === "link");
  return stringAttribute(mark === undefined ? node.attrs : mark.attrs, "href");
}

/** `label: URL`, or the label alone where it is the URL. */
function writeTarget(label: string, href: string): string {
  if (href === "" || label.trim() === href || `mailto:${label.trim()}` === href) return "";
  return hasToken(href) ? textLinked(href, `: ${withoutControls(href)}`) : `: ${withoutControls(href)}`;
}

function writeInlines(node: DocumentNode): string {
  let text = "";
  let label = "";
  let href = "";
  const closeLink = () => {
    text += label + writeTarget(label, href);
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

const indent = (text: string, first: string, rest: string): string => first + text.replace(/\n(?!\n)/g, `\n${rest}`);

function writeList(node: DocumentNode): string {
  const start = Number.parseInt(sizeAttribute(node.attrs, "start") || "1", 10);
  const items = (node.content ?? []).map((item, index) => {
    const marker = node.type === "orderedList" ? `${start + index}. ` : "- ";
    return writeWhen(item, indent(writeTextBlocks(item), marker, " ".repeat(marker.length)));
  });
  return items.join("\n");
}

function writeRow(row: DocumentNode): string {
  const cells = (row.content ?? []).map((cell) => writeWhen(cell, writeTextBlocks(cell).replace(/\s*\n\s*/g, " ")));
  return writeWhen(row, cells.filter((cell) => cell !== "").join(" | "));
}

function writeButton(node: DocumentNode): string {
  const href = stringAttribute(node.attrs, "href");
  if (href === "") return "";
  const line = `${writeInlines(node)}: ${withoutControls(href)}`;
  return hasToken(href) ? textLinked(href, line) : line;
}

function writeImage(node: DocumentNode): string {
  const alt = withoutControls(stringAttribute(node.attrs, "alt"));
  const href = linkOf(node);
  return alt === "" ? "" : alt + writeTarget(alt, href);
}

function writeBlock(node: DocumentNode): string {
  switch (node.type) {
    case "paragraph":
    case "heading":
      return writeInlines(node);
    case "horizontalRule":
      return "----------";
    case "bulletList":
    case "orderedList":
      return writeList(node);
    case "codeBlock":
      return withoutControls((node.content ?? []).map((child) => child.text ?? "").join(""));
    case "blockquote":
      return writeTextBlocks(node).replace(/^/gm, "> ");
    case "table":
      return (node.content ?? []).map(writeRow).join("\n");
    case "button":
      return writeButton(node);
    case "image":
      return writeImage(node);
    case "previewText":
    case "globalContent":
      return "";
    default:
      return writeTextBlocks(node);
  }
}

/** The line ends belong to the block, so that they leave the mail together with it. */
function writeWhen(node: DocumentNode, text: string): string {
  const when = stringAttribute(node.attrs, "when");
  return when === "" || text === "" ? text : textWhen(when, text);
}

const hasClass = (node: DocumentNode, name: string): boolean =>
  stringAttribute(node.attrs, "class").split(/\s+/).includes(name);

/** The plain text of the blocks inside a node: lines and empty lines between them, not yet wrapped. */
export function writeTextBlocks(node: DocumentNode): string {
  let text = "";
  let previous: DocumentNode | null = null;
  for (const child of node.content ?? []) {
    const block = hasClass(child, HTML_ONLY_CLASS) ? "" : writeBlock(child);
    if (block === "") continue;
    const isTogether = previous !== null && hasClass(previous, TIGHT_CLASS) && hasClass(child, TIGHT_CLASS);
    text += writeWhen(child, (previous === null ? "" : isTogether ? "\n" : "\n\n") + block);
    previous = child;
  }
  return text;
}
