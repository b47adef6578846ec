import type { CatalogEvent, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { FieldErrors } from "../../../../schemas/errors";
import { isInvisible } from "../../../../schemas/text/name";
import { type DocumentNode, hrefOf, type NodeWithAncestors, stringAttribute, walkNodes } from "../format/document";
import { tokensOf } from "../tokens/token";
import { urlValueProblem } from "../tokens/url-value";
import {
  type DocumentLink,
  isVisible,
  linksOf,
  type MailDraft,
  parseSingleToken,
  stringsOf,
  textOf,
  withDefaults,
  withDefaultsExcept,
  withPlaceholders,
} from "./document-text";
import { hidesText, type TextLook, UNSTYLED, withStyle } from "./hidden-text";

/** The reason why a custom template for sign-in mail must not be published. */
export type AuthCheckProblem = {
  code: "auth_link_missing" | "auth_link_host_not_allowed" | "auth_link_misplaced" | "auth_literal_link";
  field_errors: FieldErrors;
};

type TargetProblem = "token_not_allowed" | "host_not_allowed" | "required";

const requiredLinks = ({ variables }: CatalogEvent): string[] =>
  variables.flatMap(({ token, type, required }) => (type === "url" && required ? [token] : []));

/**
 * Returns the first failed check of a sign-in mail, or null. A mail that passes all checks shows its sign-in link and contains
 * only links to listed hosts. Other mail is not checked.
 */
export function findAuthProblem(
  event: CatalogEvent,
  draft: MailDraft,
  authLinkHosts: readonly string[],
): AuthCheckProblem | null {
  if (event.lane_class !== "auth") return null;
  return (
    missingProblem(absentLinks(event, draft)) ??
    findBadTarget(event, draft, authLinkHosts) ??
    findMisplacedToken(event, draft) ??
    missingProblem(missingLinks(event, draft)) ??
    findLiteralLink(draft)
  );
}

/** Returns the tokens of required links that a draft does not contain. */
function absentLinks(event: CatalogEvent, { document }: MailDraft): string[] {
  const present = tokensOf(...stringsOf(document));
  return requiredLinks(event).filter((token) => !present.has(token));
}

/** Returns the tokens of required links that are not visible in every mail that is created from this draft. */
export function missingLinks(event: CatalogEvent, { document }: Pick<MailDraft, "document">): string[] {
  const requiredTokens = new Set(event.variables.flatMap(({ token, required }) => (required ? [token] : [])));
  const visibleTokens = new Set<string>();
  for (const styled of styledNodes(document)) {
    const { node, ancestors } = styled;
    const targetTokens = [...tokensOf(clickTarget(styled))];
    const isClickable =
      targetTokens.length > 0 && (isPicture(node) || !isInvisible(visibleText(styled, requiredTokens)));
    const textTokens = hidesText(styled.look) ? [] : tokensOf(node.text ?? "");
    const tokens = [...textTokens, ...(isClickable ? targetTokens : [])];
    if (tokens.length === 0 || !isVisible(styled)) continue;
    const isUnconditional = [node, ...ancestors].every(({ attrs }) => {
      const when = stringAttribute(attrs, "when");
      return when === "" || requiredTokens.has(when);
    });
    for (const token of isUnconditional ? tokens : []) visibleTokens.add(token);
  }
  return requiredLinks(event).filter((token) => !visibleTokens.has(token));
}

/** Minimum width and height in px of a picture that users can click. A picture without a size has its natural size. */
const MIN_PICTURE_PX = 8;

function isPicture({ attrs }: DocumentNode): boolean {
  const isSmall = (side: string) => Number.parseFloat(String(attrs?.[side] ?? "")) < MIN_PICTURE_PX;
  return stringAttribute(attrs, "src") !== "" && !isSmall("width") && !isSmall("height");
}

/** A node with its text style, which includes the inherited styles. */
type StyledNode = NodeWithAncestors & { look: TextLook };

/** Like walkNodes, with the text style of each node. Children inherit the parsed style, so each style is parsed only once. */
function* styledNodes(
  node: DocumentNode,
  ancestors: readonly DocumentNode[] = [],
  inherited: TextLook = UNSTYLED,
): Generator<StyledNode> {
  const styles = [node, ...(node.marks ?? [])].map(({ attrs }) => stringAttribute(attrs, "style"));
  const look = styles.reduce(withStyle, inherited);
  yield { node, ancestors, look };
  const childAncestors = [...ancestors, node];
  for (const child of node.content ?? []) yield* styledNodes(child, childAncestors, look);
}

/** Returns the text of a clickable node that is visible in every mail. Omits values that may be empty. */
function visibleText({ node, ancestors, look }: StyledNode, requiredTokens: ReadonlySet<string>): string {
  const childAncestors = [...ancestors, node];
  const children = (node.content ?? []).flatMap((child) => [...styledNodes(child, childAncestors, look)]);
  const writeText = ({ node: { text = "" }, look: textLook }: StyledNode) =>
    text === "" || hidesText(textLook) ? "" : withDefaultsExcept(text, requiredTokens);
  return [{ node, ancestors, look }, ...children].map(writeText).join("");
}

/** Returns the link target of a node, or "". Links cannot be nested, so a node inside a button has no target of its own. */
function clickTarget({ node, ancestors }: NodeWithAncestors): string {
  if (ancestors.some(({ type }) => type === "button")) return "";
  const mark = node.marks?.find(({ type }) => type === "link");
  return hrefOf(mark === undefined ? node.attrs : mark.attrs);
}

function missingProblem(missing: readonly string[]): AuthCheckProblem | null {
  if (missing.length === 0) return null;
  return { code: "auth_link_missing", field_errors: Object.fromEntries(missing.map((token) => [token, ["required"]])) };
}

function findBadTarget(
  { variables }: CatalogEvent,
  { document }: MailDraft,
  authLinkHosts: readonly string[],
): AuthCheckProblem | null {
  const problems = linksOf(document).flatMap(
    ({ href }: DocumentLink) => targetProblem(href, variables, authLinkHosts) ?? [],
  );
  if (problems.length === 0) return null;
  return { code: "auth_link_host_not_allowed", field_errors: { href: [...new Set(problems)] } };
}

/** Returns why sign-in mail must not contain this link target, or null when it may. */
export function targetProblem(
  href: string,
  variables: readonly CatalogVariable[],
  authLinkHosts: readonly string[],
): TargetProblem | null {
  if (href.trim() === "") return "required";
  const token = parseSingleToken(href);
  if (token === null) return literalProblem(href, authLinkHosts);
  const isDeclared = variables.some((variable) => variable.type === "url" && variable.token === token.name);
  if (!isDeclared && token.name !== "system.message_id") return "token_not_allowed";
  if (token.fallback === null) return null;
  return token.fallback.trim() === "" ? "required" : literalProblem(token.fallback, authLinkHosts);
}

function literalProblem(href: string, authLinkHosts: readonly string[]): TargetProblem | null {
  const beforePath = /^(?:https:\/\/)?[^/?#]*/i.exec(href)?.[0] ?? "";
  if (beforePath.includes("{{")) return "token_not_allowed";
  const rules = { authLane: true, authLinkHosts, debug: false };
  return urlValueProblem(withPlaceholders(href), rules) === null ? null : "host_not_allowed";
}

/** Returns the strings of a node that are neither visible text nor a link target. */
function hiddenStrings({ type, attrs, marks, text = "" }: DocumentNode): string[] {
  const withoutHref = (object: object | null | undefined) =>
    Object.entries(object ?? {}).filter(([name]) => name !== "href");
  const isLink = type === "button" || type === "image";
  const nodeEntries = isLink ? withoutHref(attrs) : Object.entries(attrs ?? {});
  const markEntries = (marks ?? []).flatMap((mark) =>
    mark.type === "link" ? withoutHref(mark.attrs) : Object.entries(mark.attrs ?? {}),
  );
  return [
    ...stringsOf([nodeEntries, markEntries].flat().map(([, value]) => value)),
    ...(type === "text" ? [] : [text]),
  ];
}

function findMisplacedToken({ variables }: CatalogEvent, { document }: MailDraft): AuthCheckProblem | null {
  const guarded = variables.filter(
    ({ type, required, sensitive }) => (type === "url" && required) || sensitive === true,
  );
  const names = new Set(guarded.map(({ token }) => token));
  for (const visit of walkNodes(document)) {
    const hidden = hiddenStrings(visit.node);
    const strings = isVisible(visit) ? hidden : [...hidden, visit.node.text ?? ""];
    if ([...tokensOf(...strings)].some((name) => names.has(name))) {
      return { code: "auth_link_misplaced", field_errors: { document: ["link_token_misplaced"] } };
    }
  }
  return null;
}

const LITERAL_LINK = /https?:|mailto:|tel:|www\.|<a|href=/i;

/** Returns whether a text contains a literal link, after Unicode normalization and without invisible characters. */
function showsLink(text: string): boolean {
  return LITERAL_LINK.test(
    withDefaults(text)
      .normalize("NFKC")
      .replace(/\p{Cf}+/gu, ""),
  );
}

/** Node types whose text is checked as one string. */
const PROSE = ["paragraph", "heading", "button", "codeBlock", "previewText"];

function proseOf({ document }: MailDraft): string[] {
  return [...walkNodes(document)].flatMap(({ node }) => {
    const titles = [node, ...(node.marks ?? [])].flatMap(({ attrs }) => [
      stringAttribute(attrs, "alt"),
      stringAttribute(attrs, "title"),
    ]);
    return PROSE.includes(node.type) ? [textOf(node), ...titles] : titles;
  });
}

function findLiteralLink(draft: MailDraft): AuthCheckProblem | null {
  const parts = { subject: [draft.subject], preheader: [draft.preheader], document: proseOf(draft) };
  const linkParts = Object.entries(parts).filter(([, texts]) => texts.some(showsLink));
  if (linkParts.length === 0) return null;
  return {
    code: "auth_literal_link",
    field_errors: Object.fromEntries(linkParts.map(([part]) => [part, ["literal_url"]])),
  };
}
