import {
  type DocumentNode,
  type EmailDocument,
  hrefOf,
  type NodeWithAncestors,
  stringAttribute,
  walkNodes,
} from "../format/document";
import { RAW_TOKEN_SOURCE, tokensOf } from "../tokens/token";
import { isListedHost } from "../tokens/url-value";

/** The parts of a template version that readers see, before substitution. */
export type MailDraft = { subject: string; preheader: string; document: EmailDocument };

/** A link of a document: its target as written, "" when it has none, with its node and ancestors. */
export type DocumentLink = NodeWithAncestors & { href: string };

/** Nodes that editors keep and mails do not show. */
const EDITOR_ONLY = ["previewText", "globalContent"];

/** Tokens of the recipient. Built-in texts greet the recipient by name when it is known. */
export const READER_TOKENS: readonly string[] = ["recipient_email", "recipient_name"];

const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");
const onlyToken = new RegExp(`^${RAW_TOKEN_SOURCE}$`);

/** Whether mails show a node, by its type and ancestors. */
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

/** Returns the token and default of a text that is a single token, or null. */
export function parseSingleToken(text: string): { name: string; fallback: string | null } | null {
  const match = onlyToken.exec(text.trim());
  return match === null ? null : { name: match[1] ?? "", fallback: match[2] ?? null };
}

/** Replaces each token by its default, or by nothing. */
export function withDefaults(text: string): string {
  return text.replace(everyToken, (_token, _name, fallback: string | undefined) => fallback ?? "");
}

/** Replaces each token by its default, except the listed ones. */
export function withDefaultsExcept(text: string, keptTokens: ReadonlySet<string>): string {
  return text.replace(everyToken, (token, name: string, fallback: string | undefined) =>
    keptTokens.has(name) ? token : (fallback ?? ""),
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

/** Returns the literal URL of a link target or of its default, or null for a token without a default. */
function literalOf(href: string): string | null {
  const token = parseSingleToken(href);
  return token === null ? href : token.fallback;
}

/** Returns what a version stores about its draft: its tokens, including `when`, and the hosts of its literal links. */
export function tokenUsesOf({ subject, preheader, document }: MailDraft): { tokens: string[]; hosts: string[] } {
  const nodes = [...walkNodes(document)].map(({ node }) => node);
  const conditions = nodes.flatMap(({ attrs }) => stringAttribute(attrs, "when") || []);
  const tokens = tokensOf(subject, preheader, ...nodes.flatMap(stringsOfNode));
  const literals = linksOf(document).flatMap(({ href }) => literalOf(href) ?? []);
  const hosts = literals.flatMap((href) => {
    const url = withPlaceholders(href);
    return /^https:/i.test(url) && URL.canParse(url) ? [new URL(url).host] : [];
  });
  return { tokens: [...new Set([...tokens, ...conditions])].sort(), hosts: [...new Set(hosts)].sort() };
}

/** Whether sign-in mail may link to all of these hosts (`host` or `host:port`). */
export function areListedHosts(hosts: readonly string[], authLinkHosts: readonly string[]): boolean {
  return hosts.every((host) => isListedHost(new URL(`https://${host}`), authLinkHosts));
}
