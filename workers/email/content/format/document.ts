/** The JSON value of an attribute. Null means absent. */
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

/** The node types that a node may contain. `count` is the number of children if it is fixed. */
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

/** The content rules of the editor nodes, by node type. */
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

/** Marks without attributes. The marks `link` and `preservedStyle` have attributes. */
export const PLAIN_MARKS: readonly string[] = ["bold", "italic", "underline", "strike", "code", "sup", "uppercase"];

/** Returns a string attribute, or "" when it is absent, null or of another type. */
export function stringAttribute(attrs: Attributes | null | undefined, name: string): string {
  const value = attrs?.[name];
  return typeof value === "string" ? value : "";
}

/** Returns a number attribute as text (`600`, `50%`), or "" when it is absent. */
export function sizeAttribute(attrs: Attributes | null | undefined, name: string): string {
  const value = attrs?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Returns whether a node has a class. */
export function hasClass(node: DocumentNode, name: string): boolean {
  return stringAttribute(node.attrs, "class").split(/\s+/).includes(name);
}

/** Returns the list variable that a section or table row repeats over, or "". Mails contain the node once per item. */
export function listOf({ attrs }: DocumentNode): string {
  return stringAttribute(attrs, "each");
}

/**
 * Returns the lists and `when` tokens of the rows of a table, separated by spaces, or "" when a row has neither. Mails omit the
 * table when all of these are empty.
 */
export function rowTokens(table: DocumentNode): string {
  const tokens = (table.content ?? []).map((row) => listOf(row) || stringAttribute(row.attrs, "when"));
  return tokens.includes("") ? "" : [...new Set(tokens)].join(" ");
}

/** Returns the link target, or "" without one. Editors write `#` for a link that has no target yet. */
export function hrefOf(attrs: Attributes | null | undefined): string {
  const href = stringAttribute(attrs, "href");
  return href === "#" ? "" : href;
}

/** A node and its ancestors. The outermost ancestor comes first. */
export interface NodeWithAncestors {
  readonly node: DocumentNode;
  readonly ancestors: readonly DocumentNode[];
}

/** Yields every node of a valid document in document order, the root first. */
export function* walkNodes(node: DocumentNode, ancestors: readonly DocumentNode[] = []): Generator<NodeWithAncestors> {
  yield { node, ancestors };
  const childAncestors = [...ancestors, node];
  for (const child of node.content ?? []) yield* walkNodes(child, childAncestors);
}
