/** Maximum length of the response of a provider in a trace. */
export const MAX_DETAIL_LENGTH = 200;
const FILTERED = "[Filtered]";
const URL_PATTERN = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b(?:www\.|mailto:)[^\s"'<>]+/gi;
const ADDRESS_PATTERN = /[^\s"'<>(),:;@]+@[^\s"'<>(),:;@]+/g;
/** Matches a value that follows the name of a credential. */
const NAMED_KEY_PATTERN =
  /\b(?:bearer|basic|api[_-]?key|key|token|secret|password)\b["']?\s*[:= ]\s*["']?[^\s"',;]{6,}/gi;
/** Matches keys, tokens and encoded values, which are long runs of characters without a space. */
const LONG_TOKEN_PATTERN = /[A-Za-z0-9+/_=-]{20,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters of a provider's response
const CONTROL_PATTERN = /[\u0000-\u001f\u007f-\u009f]+/g;

/**
 * Returns the response of a provider in a form that is safe to store in a trace. The result is one line of at most 200
 * characters. `[Filtered]` replaces addresses, URLs, keys and `secrets`.
 */
export function filterDetail(response: string, secrets: readonly string[]): string {
  // The first cut is far above the final length. Otherwise the patterns could miss a secret that the cut splits.
  let text = response.slice(0, 4096).replace(CONTROL_PATTERN, " ");
  for (const secret of secrets) {
    if (secret.length > 0) text = text.replaceAll(secret, FILTERED);
  }
  text = text
    .replace(URL_PATTERN, FILTERED)
    .replace(ADDRESS_PATTERN, FILTERED)
    .replace(NAMED_KEY_PATTERN, FILTERED)
    .replace(LONG_TOKEN_PATTERN, FILTERED)
    .replace(/ {2,}/g, " ")
    .trim();
  return text.slice(0, MAX_DETAIL_LENGTH);
}
