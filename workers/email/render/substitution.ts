import { resolveMarks } from "./marker";
import { ESCAPED_TOKEN_SOURCE, escapeHtml, hasToken, RAW_TOKEN_SOURCE } from "./token";
import { type UrlRules, urlValueProblem } from "./url-value";
import { wrapText } from "./wrap";

/** The parts of a mail; as a template they hold tokens, after substitution they are what is sent. */
export interface MailContent {
  subject: string;
  html: string;
  text: string;
}

/** Values of the tokens `system.*` by the rest of their name; those of AUTH_UNKNOWN are ignored on the auth lane. */
export interface SystemTokens {
  message_id: string;
  assets_url: string;
  unsubscribe_url?: string;
  preferences_url?: string;
  readonly [name: string]: string | undefined;
}

/** Nothing of the auth lane can be left. */
const AUTH_UNKNOWN = ["unsubscribe_url", "preferences_url"];

export interface SubstitutionOptions extends UrlRules {
  system: SystemTokens;
  /** Tokens that the event declares with type `url`. */
  urlTokens: readonly string[];
}

export type SubstitutionResult = MailContent | { error: "variable_url_not_allowed"; token: string };

type Values = ReadonlyMap<string, string>;

// Tab and line ends are text; the others have no meaning in a mail and break some readers.
const BARE_CONTROLS = /[^\P{Cc}\t\n\r]/gu;

/** One line for a mail header: CR, LF and control characters become spaces. */
export function cleanHeaderText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

function collectValues(variables: Readonly<Record<string, string>>, options: SubstitutionOptions): Values {
  const values = new Map<string, string>();
  for (const [token, value] of Object.entries(variables)) {
    if (!token.startsWith("system.")) values.set(token, value.replace(BARE_CONTROLS, ""));
  }
  for (const [name, value = ""] of Object.entries(options.system)) {
    if (!options.authLane || !AUTH_UNKNOWN.includes(name)) values.set(`system.${name}`, value);
  }
  return values;
}

const rawToken = new RegExp(RAW_TOKEN_SOURCE, "g");
const escapedToken = new RegExp(ESCAPED_TOKEN_SOURCE, "g");
const htmlPlace = new RegExp(`<a href="([^"]*)"([^>]*)>|(</a>)|${ESCAPED_TOKEN_SOURCE}`, "g");

function fillRaw(template: string, values: Values): string {
  return template.replace(rawToken, (_token, name: string, fallback: string | undefined) => {
    const value = values.get(name) ?? "";
    return value === "" ? (fallback ?? "") : value;
  });
}

/** Fills tokens of escaped HTML; the default was escaped when the document was composed. */
function fillEscaped(template: string, values: Values): string {
  return template.replace(escapedToken, (_token, name: string, fallback: string | undefined) => {
    const value = values.get(name) ?? "";
    return value === "" ? (fallback ?? "") : escapeHtml(value);
  });
}

const unescapeHtml = (html: string): string =>
  html.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => UNESCAPES[name] ?? "");

const UNESCAPES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Whether a link target may be written: one without tokens is as validated, another must give an allowed URL. */
function isAllowedTarget(rawHref: string, values: Values, options: SubstitutionOptions): boolean {
  if (!hasToken(rawHref)) return rawHref !== "";
  return urlValueProblem(fillRaw(rawHref, values), options) === null;
}

/** One pass over the HTML, so that a value that looks like a token or a tag stays what it is. */
function fillHtml(template: string, values: Values, options: SubstitutionOptions): string {
  let isLinkRemoved = false;
  return template.replace(htmlPlace, (place, href?: string, attributes?: string, close?: string) => {
    if (close !== undefined) {
      const tag = isLinkRemoved ? "" : close;
      isLinkRemoved = false;
      return tag;
    }
    if (href === undefined) return fillEscaped(place, values);
    isLinkRemoved = !isAllowedTarget(unescapeHtml(href), values, options);
    return isLinkRemoved ? "" : `<a href="${fillEscaped(href, values)}"${fillEscaped(attributes ?? "", values)}>`;
  });
}

/**
 * Puts values into a composed mail. Blocks whose `when` token is empty are left out of both parts,
 * links that end up without an allowed target lose it, and the text part is wrapped at 78 columns.
 * Fails when the value of a declared URL variable is not allowed now.
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
  const when = (token: string): boolean => (values.get(token) ?? "") !== "";
  const html = resolveMarks(content.html, "html", {
    when,
    linked: (href) => isAllowedTarget(unescapeHtml(href), values, options),
  });
  const text = resolveMarks(content.text, "text", { when, linked: (href) => isAllowedTarget(href, values, options) });
  return {
    subject: cleanHeaderText(fillRaw(content.subject, values)),
    html: fillHtml(html, values, options),
    text: wrapText(fillRaw(text, values)),
  };
}

/** One line of text, such as a preheader, with its values put in as in a subject. */
export function fillLine(
  template: string,
  variables: Readonly<Record<string, string>>,
  options: SubstitutionOptions,
): string {
  return cleanHeaderText(fillRaw(template, collectValues(variables, options)));
}
