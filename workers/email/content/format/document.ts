/** A JSON value of an attribute; null counts as absent. */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [key: string]: unknown };
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface DocumentMark {
  readonly type: string;
  readonly attrs?: Attributes;
}

/** A node of the editor document. */
export interface DocumentNode {
  readonly type: string;
  readonly attrs?: Attributes;
  readonly content?: readonly DocumentNode[];
  readonly marks?: readonly DocumentMark[];
  readonly text?: string;
}

/** The root of an editor document. */
export interface EmailDocument extends DocumentNode {
  readonly type: "doc";
  readonly content: readonly DocumentNode[];
}

/** What may stand inside a node: a list of node types, and how many when the number is fixed. */
export interface NodeRule {
  readonly content: readonly string[];
  readonly count?: number;
}

const BLOCKS = [
  "body",
  "container",
  "section",
  "div",
  "blockquote",
  "paragraph",
  "heading",
  "horizontalRule",
  "bulletList",
  "orderedList",
  "codeBlock",
  "previewText",
  "table",
  "twoColumns",
  "threeColumns",
  "fourColumns",
  "button",
  "image",
  "globalContent",
];
const INLINE = ["text", "hardBreak", "image"];
const CELLS = ["tableCell", "tableHeader"];
const COLUMN = ["columnsColumn"];

/** The nodes of the editor, and what each may contain. */
export const NODE_RULES: ReadonlyMap<string, NodeRule> = new Map<string, NodeRule>([
  ["doc", { content: BLOCKS }],
  ["body", { content: BLOCKS }],
  ["container", { content: BLOCKS }],
  ["section", { content: BLOCKS }],
  ["div", { content: BLOCKS }],
  ["blockquote", { content: BLOCKS }],
  ["listItem", { content: BLOCKS }],
  ["paragraph", { content: INLINE }],
  ["heading", { content: INLINE }],
  ["text", { content: [] }],
  ["hardBreak", { content: [] }],
  ["horizontalRule", { content: [] }],
  ["bulletList", { content: ["listItem"] }],
  ["orderedList", { content: ["listItem"] }],
  ["codeBlock", { content: ["text"] }],
  ["previewText", { content: ["text"] }],
  ["table", { content: ["tableRow"] }],
  ["tableRow", { content: CELLS }],
  ["tableCell", { content: BLOCKS }],
  ["tableHeader", { content: BLOCKS }],
  ["twoColumns", { content: COLUMN, count: 2 }],
  ["threeColumns", { content: COLUMN, count: 3 }],
  ["fourColumns", { content: COLUMN, count: 4 }],
  ["columnsColumn", { content: BLOCKS }],
  ["button", { content: INLINE }],
  ["image", { content: [] }],
  ["globalContent", { content: [] }],
]);

/** Marks without attributes; `link` and `preservedStyle` have their own. */
export const PLAIN_MARKS: readonly string[] = ["bold", "italic", "underline", "strike", "code", "sup", "uppercase"];

/** A string attribute, "" when it is absent, null or of another type. */
export function stringAttribute(attrs: Attributes | null | undefined, name: string): string {
  const value = attrs?.[name];
  return typeof value === "string" ? value : "";
}

/** A number attribute as text (`600`, `50%`), "" when it is absent. */
export function sizeAttribute(attrs: Attributes | null | undefined, name: string): string {
  const value = attrs?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Whether a node is of a class. */
export function hasClass(node: DocumentNode, name: string): boolean {
  return stringAttribute(node.attrs, "class").split(/\s+/).includes(name);
}

/**
 * The tokens of which a table needs one, parted by spaces, when each of its rows stands for one; else "". Such a table is left
 * out together with its last row.
 */
export function rowTokens(table: DocumentNode): string {
  const tokens = (table.content ?? []).map(({ attrs }) => stringAttribute(attrs, "when"));
  return tokens.includes("") ? "" : [...new Set(tokens)].join(" ");
}

/** The link target of attributes, "" when there is none; editors write `#` for a link that leads nowhere yet. */
export function hrefOf(attrs: Attributes | null | undefined): string {
  const href = stringAttribute(attrs, "href");
  return href === "#" ? "" : href;
}

/** A node and what it stands in, the outermost first. */
export interface PlacedNode {
  readonly node: DocumentNode;
  readonly inside: readonly DocumentNode[];
}

/** Every node of a valid document in the order of reading, the root first. */
export function* placedNodes(node: DocumentNode, inside: readonly DocumentNode[] = []): Generator<PlacedNode> {
  yield { node, inside };
  const within = [...inside, node];
  for (const child of node.content ?? []) yield* placedNodes(child, within);
}
