import type { CatalogEvent, CatalogVariable } from "../../../../schemas/email/content/catalog";
import type { FieldErrors } from "../../../../schemas/errors";
import { isTraceless } from "../../../../schemas/text/name";
import { type DocumentNode, hrefOf, type PlacedNode, placedNodes, stringAttribute } from "../format/document";
import { tokensOf } from "../tokens/token";
import { urlValueProblem } from "../tokens/url-value";
import {
  type DocumentLink,
  isVisible,
  linksOf,
  type MailDraft,
  readOnlyToken,
  stringsOf,
  textOf,
  withoutOthers,
  withoutValues,
  withSomeValues,
} from "./document-text";
import { hidesText, type TextLook, UNSTYLED, withStyle } from "./hidden-text";

/** Why a copy for sign-in mail must not be published. */
export type AuthCheckProblem = {
  code: "auth_link_missing" | "auth_link_host_not_allowed" | "auth_link_misplaced" | "auth_literal_link";
  field_errors: FieldErrors;
};

type TargetProblem = "token_not_allowed" | "host_not_allowed" | "required";

const requiredLinks = ({ variables }: CatalogEvent): string[] =>
  variables.flatMap(({ token, type, required }) => (type === "url" && required ? [token] : []));

/**
 * The checks of sign-in mail, in their order; null when all hold. A mail that passes shows the link that it is for, and leads
 * nowhere but to listed hosts.
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

/** The tokens of required links that stand nowhere in a draft. */
function absentLinks(event: CatalogEvent, { document }: MailDraft): string[] {
  const present = tokensOf(...stringsOf(document));
  return requiredLinks(event).filter((token) => !present.has(token));
}

/** The tokens of required links that nobody would see in every mail of this draft. */
export function missingLinks(event: CatalogEvent, { document }: Pick<MailDraft, "document">): string[] {
  const always = new Set(event.variables.flatMap(({ token, required }) => (required ? [token] : [])));
  const visibleTokens = new Set<string>();
  for (const placed of styledNodes(document)) {
    const { node, inside } = placed;
    const targets = [...tokensOf(openTarget(placed))];
    const isOpen = targets.length > 0 && (isPicture(node) || !isTraceless(visibleText(placed, always)));
    const spelled = hidesText(placed.look) ? [] : tokensOf(node.text ?? "");
    const tokens = [...spelled, ...(isOpen ? targets : [])];
    if (tokens.length === 0 || !isVisible(placed)) continue;
    const isAlways = [node, ...inside].every(({ attrs }) => {
      const when = stringAttribute(attrs, "when");
      return when === "" || always.has(when);
    });
    for (const token of isAlways ? tokens : []) visibleTokens.add(token);
  }
  return requiredLinks(event).filter((token) => !visibleTokens.has(token));
}

/** Sides of a picture that somebody can press, px; one that says none is drawn as it is. */
const MIN_PICTURE_PX = 8;

function isPicture({ attrs }: DocumentNode): boolean {
  const isSmall = (side: string) => Number.parseFloat(String(attrs?.[side] ?? "")) < MIN_PICTURE_PX;
  return stringAttribute(attrs, "src") !== "" && !isSmall("width") && !isSmall("height");
}

/** A node with the look of its words, by the styles around it and its own. */
type StyledNode = PlacedNode & { look: TextLook };

/** As placedNodes; each style is read once, since what stands inside takes the look over. */
function* styledNodes(
  node: DocumentNode,
  inside: readonly DocumentNode[] = [],
  around: TextLook = UNSTYLED,
): Generator<StyledNode> {
  const styles = [node, ...(node.marks ?? [])].map(({ attrs }) => stringAttribute(attrs, "style"));
  const look = styles.reduce(withStyle, around);
  yield { node, inside, look };
  const within = [...inside, node];
  for (const child of node.content ?? []) yield* styledNodes(child, within, look);
}

/** The words that readers of every mail see on a node that can be pressed: those of optional values are left out. */
function visibleText({ node, inside, look }: StyledNode, always: ReadonlySet<string>): string {
  const within = [...inside, node];
  const children = (node.content ?? []).flatMap((child) => [...styledNodes(child, within, look)]);
  const textOf = ({ node: { text = "" }, look: own }: StyledNode) =>
    text === "" || hidesText(own) ? "" : withoutOthers(text, always);
  return [{ node, inside, look }, ...children].map(textOf).join("");
}

/** Where a press on a node leads: a link stands in no other, so the outermost counts. */
function openTarget({ node, inside }: PlacedNode): string {
  if (inside.some(({ type }) => type === "button")) return "";
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

/** What keeps a link target out of sign-in mail; null when it may stand there. */
export function targetProblem(
  href: string,
  variables: readonly CatalogVariable[],
  authLinkHosts: readonly string[],
): TargetProblem | null {
  if (href.trim() === "") return "required";
  const only = readOnlyToken(href);
  if (only === null) return literalProblem(href, authLinkHosts);
  const isDeclared = variables.some(({ token, type }) => type === "url" && token === only.name);
  if (!isDeclared && only.name !== "system.message_id") return "token_not_allowed";
  if (only.fallback === null) return null;
  return only.fallback.trim() === "" ? "required" : literalProblem(only.fallback, authLinkHosts);
}

function literalProblem(href: string, authLinkHosts: readonly string[]): TargetProblem | null {
  const beforePath = /^(?:https:\/\/)?[^/?#]*/i.exec(href)?.[0] ?? "";
  if (beforePath.includes("{{")) return "token_not_allowed";
  const rules = { authLane: true, authLinkHosts, debug: false };
  return urlValueProblem(withSomeValues(href), rules) === null ? null : "host_not_allowed";
}

/** The strings of a node that are neither its visible text nor a link target. */
function hiddenStrings({ type, attrs, marks, text = "" }: DocumentNode): string[] {
  const others = (from: object | null | undefined) => Object.entries(from ?? {}).filter(([name]) => name !== "href");
  const isLink = type === "button" || type === "image";
  const own = isLink ? others(attrs) : Object.entries(attrs ?? {});
  const ofMarks = (marks ?? []).flatMap((mark) =>
    mark.type === "link" ? others(mark.attrs) : Object.entries(mark.attrs ?? {}),
  );
  return [...stringsOf([own, ofMarks].flat().map(([, value]) => value)), ...(type === "text" ? [] : [text])];
}

function findMisplacedToken({ variables }: CatalogEvent, { document }: MailDraft): AuthCheckProblem | null {
  const guarded = variables.filter(
    ({ type, required, sensitive }) => (type === "url" && required) || sensitive === true,
  );
  const names = new Set(guarded.map(({ token }) => token));
  for (const placed of placedNodes(document)) {
    const hidden = hiddenStrings(placed.node);
    const strings = isVisible(placed) ? hidden : [...hidden, placed.node.text ?? ""];
    if ([...tokensOf(...strings)].some((name) => names.has(name))) {
      return { code: "auth_link_misplaced", field_errors: { document: ["link_token_misplaced"] } };
    }
  }
  return null;
}

const LITERAL_LINK = /https?:|mailto:|tel:|www\.|<a|href=/i;

/** Whether a text shows a link by itself; invisible characters and compatibility forms read as what they stand for. */
function showsLink(text: string): boolean {
  return LITERAL_LINK.test(
    withoutValues(text)
      .normalize("NFKC")
      .replace(/\p{Cf}+/gu, ""),
  );
}

/** Blocks whose text is one piece. */
const PROSE = ["paragraph", "heading", "button", "codeBlock", "previewText"];

function proseOf({ document }: MailDraft): string[] {
  return [...placedNodes(document)].flatMap(({ node }) => {
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
