const MAX_DETAIL_LENGTH = 200;
const FILTERED = "[Filtered]";
const URL_PATTERN = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+|\b(?:www\.|mailto:)[^\s"'<>]+/gi;
const ADDRESS_PATTERN = /[^\s"'<>(),:;@]+@[^\s"'<>(),:;@]+/g;
/** Keys, tokens and encoded values: long runs without a space, and anything that follows a credential's name. */
const NAMED_KEY_PATTERN =
  /\b(?:bearer|basic|api[_-]?key|key|token|secret|password)\b["']?\s*[:= ]\s*["']?[^\s"',;]{6,}/gi;
const LONG_TOKEN_PATTERN = /[A-Za-z0-9+/_=-]{20,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters of a foreign answer are what is removed
const CONTROL_PATTERN = /[\u0000-\u001f\u007f-\u009f]+/g;

/**
 * A provider's answer as it may be kept in a trace: one line, at most 200 characters, with addresses, URLs, keys and
 * the given secrets replaced by `[Filtered]`.
 */
export function filterDetail(answer: string, secrets: readonly string[]): string {
  // Far more than is kept, so that a cut never leaves half of a secret behind for the patterns to miss.
  let text = answer.slice(0, 4096).replace(CONTROL_PATTERN, " ");
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
