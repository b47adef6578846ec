const NAME = "[A-Za-z_][A-Za-z0-9_.]{0,63}";
const RAW_TOKEN = `\\{\\{[ \\t]*(${NAME})[ \\t]*(?:\\|[ \\t]*default[ \\t]*:[ \\t]*"((?:(?!\\{\\{)[^"])*)"[ \\t]*)?\\}\\}`;
const ESCAPED_TOKEN = `\\{\\{[ \\t]*(${NAME})[ \\t]*(?:\\|[ \\t]*default[ \\t]*:[ \\t]*&quot;((?:(?!\\{\\{|&quot;)[^"])*)&quot;[ \\t]*)?\\}\\}`;

/** The source of a pattern for `{{ token|default:"…" }}`. Its groups are the name and the default. */
export const RAW_TOKEN_SOURCE = RAW_TOKEN;

/** The source of the pattern for tokens in escaped HTML, where quotation marks are `&quot;` and the default is escaped. */
export const ESCAPED_TOKEN_SOURCE = ESCAPED_TOKEN;

const anyToken = new RegExp(RAW_TOKEN);
const everyToken = new RegExp(RAW_TOKEN, "g");
const leadingToken = new RegExp(`^${RAW_TOKEN}`);
const tokenName = new RegExp(`^${NAME}$`);

/** Returns whether the text contains a well-formed token. */
export function hasToken(text: string): boolean {
  return anyToken.test(text);
}

/** Returns the names of the tokens in the texts. */
export function tokensOf(...texts: string[]): Set<string> {
  return new Set(
    texts.flatMap((text) => (text.includes("{{") ? [...text.matchAll(everyToken)].map(([, name = ""]) => name) : [])),
  );
}

/** Returns whether the text starts with a well-formed token. */
export function startsWithToken(text: string): boolean {
  return leadingToken.test(text);
}

/** The prefix of tokens that contain a field of the current item. They exist only inside a repeated block. */
export const ITEM_PREFIX = "item.";

/** Returns whether the text can be the name of a list variable, as in the attribute `each`. */
export function isListName(text: string): boolean {
  return /^(?!(?:item|system)$)[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text);
}

/** Returns whether the text is the name of a token, as in the attribute `when`. */
export function isTokenName(text: string): boolean {
  return tokenName.test(text);
}
