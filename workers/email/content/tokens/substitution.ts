import { type MarkTests, type Piece, resolveMarks } from "./marker";
import { consumeBudget, isTooLarge, MAX_MAIL_BYTES, type SizeBudget } from "./size";
import { ESCAPED_TOKEN_SOURCE, hasToken, RAW_TOKEN_SOURCE } from "./token";
import { MAX_URL_CHARS, type UrlRules, urlValueProblem } from "./url-value";
import { itemScope, listValue, type Scope, scopeOf, textValue, type Value, type Variables } from "./values";
import { wrapText } from "./wrap";

/** The parts of a mail. They are templates with tokens before `substitute`, and final texts after it. */
export interface MailContent {
  subject: string;
  html: string;
  text: string;
}

/** Values of the `system.*` tokens, without the prefix in their names. */
export interface SystemTokens {
  message_id: string;
  unsubscribe_url?: string;
  preferences_url?: string;
  readonly [name: string]: string | undefined;
}

/** Tokens that are ignored in the auth lane, because its mail has no unsubscribe link and leads only to known hosts. */
const NOT_ON_AUTH_LANE = ["unsubscribe_url", "preferences_url", "social_links"];

export interface SubstitutionOptions extends UrlRules {
  system: SystemTokens;
  /** Tokens that the event declares with type `url`. A URL field of a list is `<list>.<field>`. */
  urlTokens: readonly string[];
}

export type SubstitutionResult =
  | MailContent
  | { error: "variable_url_not_allowed"; token: string }
  | { error: "too_large" };

/** Returns the text as one line for a mail header. Line breaks and control characters become spaces. */
export function cleanHeaderText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function mailScope(variables: Readonly<Variables>, { system, authLane }: SubstitutionOptions): Scope {
  const tokens = Object.entries(system).filter(([name]) => !authLane || !NOT_ON_AUTH_LANE.includes(name));
  return scopeOf(variables, Object.fromEntries(tokens));
}

/** The token pattern for each part. In composed HTML, the defaults of tokens are escaped. */
const TOKENS = { text: new RegExp(RAW_TOKEN_SOURCE, "g"), html: new RegExp(ESCAPED_TOKEN_SOURCE, "g") };
const HTML_TOKEN_OR_LINK = new RegExp(`<a href="([^"]*)"([^>]*)>|(</a>)|${ESCAPED_TOKEN_SOURCE}`, "g");

/** Replaces the tokens of a template by their values until the budget is exhausted. */
function fill(template: string, part: keyof Value, scope: Scope, budget: SizeBudget): string {
  return template.replace(TOKENS[part], (_token, name: string, fallback: string | undefined) =>
    consumeBudget(budget, scope.valueOf(name)?.[part] || (fallback ?? "")),
  );
}

const unescapeHtml = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => UNESCAPES[name] ?? "");

const UNESCAPES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/**
 * Returns whether a link target is allowed. A target with tokens must become an allowed URL. Targets without tokens were
 * validated before.
 */
function isAllowedTarget(rawHref: string, scope: Scope, options: SubstitutionOptions): boolean {
  if (!hasToken(rawHref)) return rawHref !== "";
  const budget = { left: MAX_URL_CHARS };
  const url = fill(rawHref, "text", scope, budget);
  return budget.left >= 0 && urlValueProblem(url, options) === null;
}

/** Replaces the tokens in HTML in one pass, so that a value that looks like a token or a tag is not interpreted. */
function fillHtml({ text, scope }: Piece<Scope>, budget: SizeBudget, options: SubstitutionOptions): string {
  let isLinkRemoved = false;
  return text.replace(HTML_TOKEN_OR_LINK, (match, href?: string, attributes?: string, close?: string) => {
    if (close !== undefined) {
      const tag = isLinkRemoved ? "" : close;
      isLinkRemoved = false;
      return tag;
    }
    if (href === undefined) return fill(match, "html", scope, budget);
    isLinkRemoved = !isAllowedTarget(unescapeHtml(href), scope, options);
    if (isLinkRemoved) return "";
    return `<a href="${fill(href, "html", scope, budget)}"${fill(attributes ?? "", "html", scope, budget)}>`;
  });
}

/** Returns the values of a URL token: one, or one for each item of a list for `<list>.<field>`. */
function urlValues(variables: Readonly<Variables>, token: string): string[] {
  const [list = "", field] = token.split(".");
  if (field === undefined) return [textValue(variables, token)];
  return listValue(variables, list).map((item) => item[field] ?? "");
}

/** Returns the first URL token with a value that the mail must not contain, or undefined. */
const findBadUrl = (variables: Readonly<Variables>, options: SubstitutionOptions): string | undefined =>
  options.urlTokens.find((token) =>
    urlValues(variables, token).some((value) => value !== "" && urlValueProblem(value, options) !== null),
  );

/**
 * Maximum characters that repeated blocks add before their tokens are replaced. The text of a token can be longer than its value,
 * so it is larger than the maximum of the mail.
 */
const MAX_REPEATED_CHARS = 2 * MAX_MAIL_BYTES;

/**
 * Replaces the tokens of a composed mail. Repeats the blocks of lists, omits blocks whose `when` token is empty, removes links
 * without an allowed target, and wraps the text part at 78 columns. Returns an error when the value of a declared URL variable
 * is not allowed, or when the mail exceeds MAX_MAIL_BYTES.
 */
export function substitute(
  content: MailContent,
  variables: Readonly<Variables>,
  options: SubstitutionOptions,
): SubstitutionResult {
  const token = findBadUrl(variables, options);
  if (token !== undefined) return { error: "variable_url_not_allowed", token };
  const scope = mailScope(variables, options);
  const tests = (plainHref: (href: string) => string): MarkTests<Scope> => ({
    when: (name, block) => (block.valueOf(name)?.text ?? "") !== "" || listValue(variables, name).length > 0,
    linked: (href, block) => isAllowedTarget(plainHref(href), block, options),
    each: (list) => listValue(variables, list).map((item) => itemScope(item, scope)),
  });
  const repeated = { left: MAX_REPEATED_CHARS };
  const html = resolveMarks(content.html, "html", scope, tests(unescapeHtml), repeated);
  const text = resolveMarks(content.text, "text", scope, tests(String), repeated);
  const budget = { left: MAX_MAIL_BYTES };
  const filled = {
    subject: cleanHeaderText(fill(content.subject, "text", scope, budget)),
    html: html.map((piece) => fillHtml(piece, budget, options)).join(""),
    text: wrapText(text.map((piece) => fill(piece.text, "text", piece.scope, budget)).join("")),
  };
  return repeated.left < 0 || budget.left < 0 || isTooLarge(filled) ? { error: "too_large" } : filled;
}

/** Replaces the tokens in a template of one line, such as a preheader. */
export function fillLine(template: string, variables: Readonly<Variables>, options: SubstitutionOptions): string {
  return cleanHeaderText(fill(template, "text", mailScope(variables, options), { left: MAX_MAIL_BYTES }));
}
