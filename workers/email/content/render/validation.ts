import { isObject } from "../../../kit/json";
import { areMarkAttributesSafe, areNodeAttributesSafe } from "../format/attributes";
import {
  type Attributes,
  type DocumentMark,
  type DocumentNode,
  type EmailDocument,
  hrefOf,
  listOf,
  NODE_RULES,
  PLAIN_MARKS,
  stringAttribute,
} from "../format/document";
import { isItemPicture, isLibraryPicture } from "../format/pictures";
import { ITEM_PREFIX, startsWithToken, tokensOf } from "../tokens/token";
import { composeDocument } from "./compose";

export type DocumentProblem =
  | "invalid"
  | "too_large"
  | "template_tags_forbidden"
  | "node_not_allowed"
  | "mark_not_allowed"
  | "unsafe_attribute"
  | "unsafe_link"
  | "unsafe_image"
  | "list_nested"
  | "list_token_misplaced"
  | "render_failed";

export interface ValidationOptions {
  debug: boolean;
  /** Maximum size of the compact JSON in bytes (`EMAIL_MAX_DOCUMENT_BYTES`). */
  maxBytes: number;
  /** Subject and preheader are checked for template tags and for tokens of list items. */
  subject?: string;
  preheader?: string;
}

const MAX_LEVELS = 40;
const MAX_NODES = 5000;
/** Maximum nodes in all repeated nodes together. A mail contains each of them up to 100 times. */
const MAX_REPEATED_NODES = 200;
// Each level of nodes adds an object and an array. Attribute values may be nested deeper.
const MAX_JSON_DEPTH = 3 * MAX_LEVELS;
const TEMPLATE_TAG = /\{%|%\}|\{#|#\}/;

interface NodeVisit {
  node: DocumentNode;
  parent: DocumentNode | null;
}

const isAbsentOr = (value: unknown, test: (present: unknown) => boolean): boolean =>
  value === undefined || value === null || test(value);

function isMark(value: unknown): value is DocumentMark {
  return isObject(value) && typeof value.type === "string" && isAbsentOr(value.attrs, isObject);
}

/** Returns whether the fields of a node have valid types. Does not check its children. */
function isNode(value: unknown): value is DocumentNode {
  return (
    isObject(value) &&
    typeof value.type === "string" &&
    isAbsentOr(value.attrs, isObject) &&
    isAbsentOr(value.content, Array.isArray) &&
    isAbsentOr(value.marks, (marks) => Array.isArray(marks) && marks.every(isMark)) &&
    (value.type === "text"
      ? typeof value.text === "string"
      : isAbsentOr(value.text, (text) => typeof text === "string"))
  );
}

/** Returns all nodes, or null if one is malformed. It does not recurse, because a hostile document could exhaust the stack. */
function listNodes(root: EmailDocument): { visits: NodeVisit[]; levels: number } | null {
  const visits: NodeVisit[] = [];
  let levels = 0;
  let level: NodeVisit[] = [{ node: root, parent: null }];
  while (level.length > 0) {
    levels += 1;
    const next: NodeVisit[] = [];
    for (const visit of level) {
      if (!isNode(visit.node)) return null;
      visits.push(visit);
      for (const child of visit.node.content ?? []) next.push({ node: child, parent: visit.node });
    }
    level = next;
  }
  return { visits, levels };
}

/** Returns whether the JSON, including unknown keys, is nested so deeply that recursion could exhaust the stack. */
function isTooDeep(document: EmailDocument): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

const hasTemplateTag = (value: unknown): boolean =>
  typeof value === "string"
    ? TEMPLATE_TAG.test(value)
    : typeof value === "object" && value !== null && Object.values(value).some(hasTemplateTag);

function isNodeAllowed({ node, parent }: NodeVisit): boolean {
  const rule = NODE_RULES.get(node.type);
  if (rule === undefined) return false;
  if (rule.count !== undefined && (node.content ?? []).length !== rule.count) return false;
  return parent === null || (NODE_RULES.get(parent.type)?.content.includes(node.type) ?? false);
}

function areMarksAllowed({ node, parent }: NodeVisit): boolean {
  const marks = node.marks ?? [];
  if (marks.length === 0) return true;
  const isInline = node.type === "text" || node.type === "hardBreak" || node.type === "image";
  if (!isInline || parent?.type === "codeBlock" || parent?.type === "previewText") return false;
  return marks.every(
    ({ type }) =>
      PLAIN_MARKS.includes(type) || type === "preservedStyle" || (type === "link" && parent?.type !== "button"),
  );
}

function areAttributesSafe({ node }: NodeVisit): boolean {
  return (
    areNodeAttributesSafe(node.type, node.attrs ?? {}) &&
    (node.marks ?? []).every((mark) => areMarkAttributesSafe(mark.type, mark.attrs ?? {}))
  );
}

/** Returns whether a link target is safe. An empty target is allowed, because no link is written for it. */
function isSafeLink(attrs: Attributes | null | undefined, debug: boolean): boolean {
  const href = hrefOf(attrs);
  if (/\p{Cc}/u.test(href)) return false;
  if (href === "" || startsWithToken(href) || /^(?:https:\/\/|mailto:|tel:)/i.test(href)) return true;
  return debug && /^http:\/\/(?:localhost|127\.0\.0\.1)(?![^:/?#])/i.test(href);
}

const areLinksSafe = ({ node }: NodeVisit, debug: boolean): boolean =>
  isSafeLink(node.attrs, debug) &&
  (node.marks ?? []).every((mark) => mark.type !== "link" || isSafeLink(mark.attrs, debug));

function isImageSafe({ node }: NodeVisit): boolean {
  const src = node.type === "image" ? stringAttribute(node.attrs, "src") : "";
  return src === "" || /^https:\/\//i.test(src) || isLibraryPicture(src) || isItemPicture(src);
}

const isItemToken = (token: string): boolean => token.startsWith(ITEM_PREFIX);

/** Returns whether a value or a nested value contains a token of a list item. */
function hasItemToken(value: unknown): boolean {
  if (typeof value === "string") return [...tokensOf(value)].some(isItemToken);
  return typeof value === "object" && value !== null && Object.values(value).some(hasItemToken);
}

/** Returns whether a node itself, without its children, uses the current item of a list. */
const usesItem = ({ attrs, marks, text }: DocumentNode): boolean =>
  isItemToken(stringAttribute(attrs, "when")) || hasItemToken([attrs, marks, text]);

/** Returns the first problem of the repeated nodes inside a node, or null. Counts them in `repeated`. */
function findListProblem(node: DocumentNode, isInList: boolean, repeated: { count: number }): DocumentProblem | null {
  const isRepeated = listOf(node) !== "";
  if (isRepeated && isInList) return "list_nested";
  const isInside = isInList || isRepeated;
  if (!isInside && usesItem(node)) return "list_token_misplaced";
  if (isInside) repeated.count += 1;
  if (repeated.count > MAX_REPEATED_NODES) return "too_large";
  for (const child of node.content ?? []) {
    const problem = findListProblem(child, isInside, repeated);
    if (problem !== null) return problem;
  }
  return null;
}

function canCompose(document: EmailDocument): boolean {
  try {
    composeDocument(document, { set: "", language: "en", subject: "", preheader: "" });
    return true;
  } catch {
    // Any error of the renderer is reported as `render_failed`.
    return false;
  }
}

/** Most documents use no list. This test of their JSON avoids a search in all nodes. */
const MAY_USE_LISTS = /"each":|item\./;

function findProblem(doc: unknown, options: ValidationOptions): DocumentProblem | null {
  if (!isObject(doc) || doc.type !== "doc" || !Array.isArray(doc.content)) return "invalid";
  const document = doc as unknown as EmailDocument;
  const listing = listNodes(document);
  if (listing === null) return "invalid";
  const { visits, levels } = listing;
  if (levels > MAX_LEVELS || visits.length > MAX_NODES || isTooDeep(document)) return "too_large";
  const json = JSON.stringify(document);
  if (new TextEncoder().encode(json).length > options.maxBytes) return "too_large";
  if (hasTemplateTag([document, options.subject, options.preheader])) return "template_tags_forbidden";
  if (!visits.every(isNodeAllowed)) return "node_not_allowed";
  if (!visits.every(areMarksAllowed)) return "mark_not_allowed";
  if (!visits.every(areAttributesSafe)) return "unsafe_attribute";
  if (!visits.every((visit) => areLinksSafe(visit, options.debug))) return "unsafe_link";
  if (!visits.every(isImageSafe)) return "unsafe_image";
  if (hasItemToken([options.subject, options.preheader])) return "list_token_misplaced";
  const listProblem = MAY_USE_LISTS.test(json) ? findListProblem(document, false, { count: 0 }) : null;
  if (listProblem !== null) return listProblem;
  return canCompose(document) ? null : "render_failed";
}

/** Checks an editor document in the order of `DocumentProblem`. Returns the code of the first failed check. */
export function validateDocument(
  doc: unknown,
  options: ValidationOptions,
): { ok: true } | { ok: false; code: DocumentProblem } {
  const code = findProblem(doc, options);
  return code === null ? { ok: true } : { ok: false, code };
}
