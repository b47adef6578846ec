import {
  type DocumentNode,
  type EmailDocument,
  hrefOf,
  type PlacedNode,
  placedNodes,
  stringAttribute,
} from "../format/document";
import { RAW_TOKEN_SOURCE, tokensOf } from "../tokens/token";
import { isListedHost } from "../tokens/url-value";

/** What people read of a mail before its values are put in: the parts that a version keeps. */
export type MailDraft = { subject: string; preheader: string; document: EmailDocument };

/** A link of a document: its target as it is written, "" for an open one, and where it stands. */
export type DocumentLink = PlacedNode & { href: string };

/** Nodes that editors keep and no mail shows. */
const UNSEEN = ["previewText", "globalContent"];

/** Tokens of who reads a mail: every built-in text greets by name where the name is known. */
export const READER_TOKENS: readonly string[] = ["recipient_email", "recipient_name"];

const everyToken = new RegExp(RAW_TOKEN_SOURCE, "g");
const onlyToken = new RegExp(`^${RAW_TOKEN_SOURCE}$`);

/** Whether a mail shows a node, as far as the document says. */
export const isVisible = ({ node, inside }: PlacedNode): boolean =>
  ![node, ...inside].some(({ type }) => UNSEEN.includes(type));

/** The links of a document: marks, buttons, and images that lead somewhere. */
export function linksOf(document: EmailDocument): DocumentLink[] {
  return [...placedNodes(document)].flatMap((placed) => {
    const { node } = placed;
    const own =
      node.type === "button" || (node.type === "image" && hrefOf(node.attrs) !== "") ? [hrefOf(node.attrs)] : [];
    const marks = (node.marks ?? []).flatMap(({ type, attrs }) => (type === "link" ? [hrefOf(attrs)] : []));
    return [...own, ...marks].map((href) => ({ ...placed, href }));
  });
}

/** The token that a text is, with its default; null when it is not one token alone. */
export function readOnlyToken(text: string): { name: string; fallback: string | null } | null {
  const match = onlyToken.exec(text.trim());
  return match === null ? null : { name: match[1] ?? "", fallback: match[2] ?? null };
}

/** A text as it reads when no value is given: each token is its default, or nothing. */
export function withoutValues(text: string): string {
  return text.replace(everyToken, (_token, _name, fallback: string | undefined) => fallback ?? "");
}

/** A text as it reads when no value is given but of these tokens. */
export function withoutOthers(text: string, removedTokens: ReadonlySet<string>): string {
  return text.replace(everyToken, (token, name: string, fallback: string | undefined) =>
    removedTokens.has(name) ? token : (fallback ?? ""),
  );
}

/** A text in which each token has some value. */
export function withSomeValues(text: string): string {
  return text.replace(everyToken, "x");
}

/** The text of a node and what it holds, as one piece: marks take no words apart. */
export function textOf(node: DocumentNode): string {
  if (node.type === "hardBreak") return "\n";
  return (node.text ?? "") + (node.content ?? []).map(textOf).join("");
}

/** Every string of a value, at any depth, names of members left out. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

const stringsOfNode = ({ attrs, marks, text = "" }: DocumentNode): string[] => [
  text,
  ...stringsOf(attrs),
  ...stringsOf(marks),
];

/** The literal address that a link target leads to by itself or by its default; null for a token alone. */
function literalOf(href: string): string | null {
  const only = readOnlyToken(href);
  return only === null ? href : only.fallback;
}

/** What is asked of a draft again and again: its tokens, `when` included, and the hosts of links that are no tokens. */
export function tokenUsesOf({ subject, preheader, document }: MailDraft): { tokens: string[]; hosts: string[] } {
  const nodes = [...placedNodes(document)].map(({ node }) => node);
  const conditions = nodes.flatMap(({ attrs }) => stringAttribute(attrs, "when") || []);
  const tokens = tokensOf(subject, preheader, ...nodes.flatMap(stringsOfNode));
  const literals = linksOf(document).flatMap(({ href }) => literalOf(href) ?? []);
  const hosts = literals.flatMap((href) => {
    const plain = withSomeValues(href);
    return /^https:/i.test(plain) && URL.canParse(plain) ? [new URL(plain).host] : [];
  });
  return { tokens: [...new Set([...tokens, ...conditions])].sort(), hosts: [...new Set(hosts)].sort() };
}

/** Whether links to these hosts (`host` or `host:port`) may stand in sign-in mail. */
export function areListed(hosts: readonly string[], authLinkHosts: readonly string[]): boolean {
  return hosts.every((host) => isListedHost(new URL(`https://${host}`), authLinkHosts));
}
