import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import {
  type DocumentNode,
  type EmailDocument,
  hrefOf,
  listOf,
  type NodeWithAncestors,
  stringAttribute,
  walkNodes,
} from "../format/document";
import { ITEM_PREFIX, RAW_TOKEN_SOURCE, tokensOf } from "../tokens/token";
import { isListedHost } from "../tokens/url-value";

/** The parts of a template version that recipients see, before tokens are replaced. */
export type MailDraft = { subject: string; preheader: string; document: EmailDocument };

/** A link in a document with its node and ancestors. `href` is the target as written, or "". */
export type DocumentLink = NodeWithAncestors & { href: string };

/** Node types that only editors use. Mails do not show them. */
const EDITOR_ONLY = ["previewText", "globalContent"];

/** Tokens about the recipient. Built-in texts greet the recipient by name when the name is known. */
export const READER_TOKENS: readonly string[] = ["recipient_email", "recipient_name"];

const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");
const onlyToken = new RegExp(`^${RAW_TOKEN_SOURCE}$`);

/** Returns whether mails show a node, which depends on its type and its ancestors. */
export const isVisible = ({ node, ancestors }: NodeWithAncestors): boolean =>
  ![node, ...ancestors].some(({ type }) => EDITOR_ONLY.includes(type));

/** Returns the links of a document: link marks, buttons, and images with a target. */
export function linksOf(document: EmailDocument): DocumentLink[] {
  return [...walkNodes(document)].flatMap((visit) => {
    const { node } = visit;
    const nodeTargets =
      node.type === "button" || (node.type === "image" && hrefOf(node.attrs) !== "") ? [hrefOf(node.attrs)] : [];
    const markTargets = (node.marks ?? []).flatMap(({ type, attrs }) => (type === "link" ? [hrefOf(attrs)] : []));
    return [...nodeTargets, ...markTargets].map((href) => ({ ...visit, href }));
  });
}

/** Returns the name and the default of the token if the text is a single token, else null. */
export function parseSingleToken(text: string): { name: string; fallback: string | null } | null {
  const match = onlyToken.exec(text.trim());
  return match === null ? null : { name: match[1] ?? "", fallback: match[2] ?? null };
}

/** Replaces each token by its default, or by "" without a default. */
export function withDefaults(text: string): string {
  return text.replace(everyToken, (_token, _name, fallback: string | undefined) => fallback ?? "");
}

/** Replaces each token by its default, except the tokens in `tokensToKeep`. */
export function withDefaultsExcept(text: string, tokensToKeep: ReadonlySet<string>): string {
  return text.replace(everyToken, (token, name: string, fallback: string | undefined) =>
    tokensToKeep.has(name) ? token : (fallback ?? ""),
  );
}

/** Replaces each token by a placeholder value. */
export function withPlaceholders(text: string): string {
  return text.replace(everyToken, "x");
}

/** Returns the text of a node and its descendants as one string. */
export function textOf(node: DocumentNode): string {
  if (node.type === "hardBreak") return "\n";
  return (node.text ?? "") + (node.content ?? []).map(textOf).join("");
}

/** Returns every string of a value at any depth, without object keys. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

const stringsOfNode = ({ attrs, marks, text = "" }: DocumentNode): string[] => [
  text,
  ...stringsOf(attrs),
  ...stringsOf(marks),
];

/**
 * Returns a link target unchanged if it is not a token. Otherwise returns the default of the token, or null if the token has
 * none.
 */
function literalOf(href: string): string | null {
  const token = parseSingleToken(href);
  return token === null ? href : token.fallback;
}

/** Returns the tokens of a node, including its `when` and its list. `item.<field>` becomes `<list>.<field>`. */
function tokensOfNode({ node, ancestors }: NodeWithAncestors): string[] {
  const tokens = [...tokensOf(...stringsOfNode(node)), stringAttribute(node.attrs, "when")].filter(
    (token) => token !== "",
  );
  const repeated = [...ancestors, node].map(listOf).find((list) => list !== "");
  if (repeated === undefined) return tokens;
  return [
    repeated,
    ...tokens.map((token) => (token.startsWith(ITEM_PREFIX) ? token.replace("item", repeated) : token)),
  ];
}

/** Returns the lists that a document repeats over but the event does not declare. */
export function unknownLists({ variables }: CatalogEvent, document: EmailDocument): string[] {
  const declared = new Set(variables.flatMap(({ token, value_type }) => (value_type === "list" ? [token] : [])));
  const lists = [...walkNodes(document)].map(({ node }) => listOf(node));
  return [...new Set(lists.filter((list) => list !== "" && !declared.has(list)))];
}

/**
 * Returns the tokens of a draft, including those in `when` and its lists, and the hosts of its literal links. A field of a list
 * is `<list>.<field>`. Versions store both.
 */
export function tokenUsesOf({ subject, preheader, document }: MailDraft): { tokens: string[]; hosts: string[] } {
  const tokens = [...tokensOf(subject, preheader), ...[...walkNodes(document)].flatMap(tokensOfNode)];
  const literals = linksOf(document).flatMap(({ href }) => literalOf(href) ?? []);
  const hosts = literals.flatMap((href) => {
    const url = withPlaceholders(href);
    return /^https:/i.test(url) && URL.canParse(url) ? [new URL(url).host] : [];
  });
  return { tokens: [...new Set(tokens)].sort(), hosts: [...new Set(hosts)].sort() };
}

/** Returns whether sign-in mail may link to all of these hosts (`host` or `host:port`). */
export function areListedHosts(hosts: readonly string[], authLinkHosts: readonly string[]): boolean {
  return hosts.every((host) => isListedHost(new URL(`https://${host}`), authLinkHosts));
}
