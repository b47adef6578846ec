import { escapeHtml } from "../../../kit/pages/html";
import { resolveMarks } from "./marker";
import { consumeBudget, isTooLarge, MAX_MAIL_BYTES, type SizeBudget } from "./size";
import { ESCAPED_TOKEN_SOURCE, hasToken, RAW_TOKEN_SOURCE } from "./token";
import { MAX_URL_CHARS, type UrlRules, urlValueProblem } from "./url-value";
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

/** Tokens that are ignored in the auth lane, because its mail has no unsubscribe link. */
const NOT_ON_AUTH_LANE = ["unsubscribe_url", "preferences_url"];

export interface SubstitutionOptions extends UrlRules {
  system: SystemTokens;
  /** Tokens that the event declares with type `url`. */
  urlTokens: readonly string[];
}

export type SubstitutionResult =
  | MailContent
  | { error: "variable_url_not_allowed"; token: string }
  | { error: "too_large" };

/** A value in plain text and escaped for HTML. */
type Value = { text: string; html: string };
type Values = ReadonlyMap<string, Value>;

// Control characters except tab and line breaks. They have no meaning in a mail and break some mail clients.
const BARE_CONTROLS = /[^\P{Cc}\t\n\r]/gu;

/** Returns the text as one line for a mail header. Line breaks and control characters become spaces. */
export function cleanHeaderText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function collectValues(variables: Readonly<Record<string, string>>, options: SubstitutionOptions): Values {
  const values = new Map<string, Value>();
  const add = (token: string, text: string) => values.set(token, { text, html: escapeHtml(text) });
  for (const [token, value] of Object.entries(variables)) {
    if (!token.startsWith("system.")) add(token, value.replace(BARE_CONTROLS, ""));
  }
  for (const [name, value = ""] of Object.entries(options.system)) {
    if (!options.authLane || !NOT_ON_AUTH_LANE.includes(name)) add(`system.${name}`, value);
  }
  return values;
}

/** The token pattern for each part. In composed HTML, the defaults of tokens are escaped. */
const TOKENS = { text: new RegExp(RAW_TOKEN_SOURCE, "g"), html: new RegExp(ESCAPED_TOKEN_SOURCE, "g") };
const HTML_TOKEN_OR_LINK = new RegExp(`<a href="([^"]*)"([^>]*)>|(</a>)|${ESCAPED_TOKEN_SOURCE}`, "g");

/** Replaces the tokens of a template by their values until the budget is exhausted. */
function fill(template: string, part: keyof Value, values: Values, budget: SizeBudget): string {
  return template.replace(TOKENS[part], (_token, name: string, fallback: string | undefined) =>
    consumeBudget(budget, values.get(name)?.[part] || (fallback ?? "")),
  );
}

const unescapeHtml = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => UNESCAPES[name] ?? "");

const UNESCAPES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/**
 * Returns whether a link target is allowed. A target with tokens must become an allowed URL. Targets without tokens were
 * validated before.
 */
function isAllowedTarget(rawHref: string, values: Values, options: SubstitutionOptions): boolean {
  if (!hasToken(rawHref)) return rawHref !== "";
  const budget = { left: MAX_URL_CHARS };
  const url = fill(rawHref, "text", values, budget);
  return budget.left >= 0 && urlValueProblem(url, options) === null;
}

/** Replaces the tokens in HTML in one pass, so that a value that looks like a token or a tag is not interpreted. */
function fillHtml(template: string, values: Values, budget: SizeBudget, options: SubstitutionOptions): string {
  let isLinkRemoved = false;
  return template.replace(HTML_TOKEN_OR_LINK, (match, href?: string, attributes?: string, close?: string) => {
    if (close !== undefined) {
      const tag = isLinkRemoved ? "" : close;
      isLinkRemoved = false;
      return tag;
    }
    if (href === undefined) return fill(match, "html", values, budget);
    isLinkRemoved = !isAllowedTarget(unescapeHtml(href), values, options);
    if (isLinkRemoved) return "";
    return `<a href="${fill(href, "html", values, budget)}"${fill(attributes ?? "", "html", values, budget)}>`;
  });
}

/**
 * Replaces the tokens of a composed mail. Omits blocks whose `when` token is empty, removes links without an allowed target,
 * and wraps the text part at 78 columns. Returns an error when the value of a declared URL variable is not allowed, or when
 * the mail exceeds MAX_MAIL_BYTES.
 */
export function substitute(
  content: MailContent,
  variables: Readonly<Record<string, string>>,
  options: SubstitutionOptions,
): SubstitutionResult {
  const values = collectValues(variables, options);
  for (const token of options.urlTokens) {
    const value = variables[token] ?? "";
    if (value !== "" && urlValueProblem(value, options) !== null) return { error: "variable_url_not_allowed", token };
  }
  const when = (token: string): boolean => (values.get(token)?.text ?? "") !== "";
  const html = resolveMarks(content.html, "html", {
    when,
    linked: (href) => isAllowedTarget(unescapeHtml(href), values, options),
  });
  const text = resolveMarks(content.text, "text", { when, linked: (href) => isAllowedTarget(href, values, options) });
  const budget = { left: MAX_MAIL_BYTES };
  const filled = {
    subject: cleanHeaderText(fill(content.subject, "text", values, budget)),
    html: fillHtml(html, values, budget, options),
    text: wrapText(fill(text, "text", values, budget)),
  };
  return budget.left < 0 || isTooLarge(filled) ? { error: "too_large" } : filled;
}

/** Replaces the tokens in a template of one line, such as a preheader. */
export function fillLine(
  template: string,
  variables: Readonly<Record<string, string>>,
  options: SubstitutionOptions,
): string {
  return cleanHeaderText(fill(template, "text", collectValues(variables, options), { left: MAX_MAIL_BYTES }));
}
