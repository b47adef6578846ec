const MAX_LENGTH = 300;
/** Longer texts are truncated first, because matching the patterns could take too long. */
const MAX_INPUT = 2000;
const FILTERED = "[Filtered]";

const secretName =
  /token|secret|passw|pwd|passphrase|api[_-]?key|private[_-]?key|access[_-]?key|credential|authorization|signature|session|cookie/i;

/** The replacements in order; each rule is applied to the result of the previous rules. */
const rules: readonly [pattern: RegExp, replace: (...parts: string[]) => string][] = [
  // URLs keep scheme, host and path: userinfo, query and fragment are removed
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, (_all, scheme = "") => scheme],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, (_all, kept = "") => kept],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, (_all, scheme = "") => `${scheme} ${FILTERED}`],
  [
    /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*)(?!\w+ \[Filtered\])("[^"]*"|'[^']*'|[^\s,;&]+)/g,
    (all, name = "", sign = "") => (secretName.test(name) ? `${name}${sign}${FILTERED}` : all),
  ],
  // JSON web tokens
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, () => FILTERED],
  [/\b[0-9a-f]{32,}\b/gi, () => FILTERED],
  // keys of this platform and of well-known services
  [
    /\b(?:whsec_|esk_|opk_|pst_|re_|[srp]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|AIza)[\w+/=-]{6,}/g,
    () => FILTERED,
  ],
  // email addresses are personal data and do not belong in a log
  [/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, () => FILTERED],
];

/**
 * Returns a message that is safe to store and log: one line of at most 300 characters without URL queries, credentials,
 * tokens and email addresses.
 */
export function sanitizeMessage(text: string): string {
  // A truncated secret would not match its pattern, so the last word is removed.
  const bounded = text.length > MAX_INPUT ? text.slice(0, MAX_INPUT).replace(/\S+$/, "…") : text;
  let line = bounded.replace(/[\s\p{Cc}]+/gu, " ").trim();
  for (const [pattern, replace] of rules) line = line.replace(pattern, replace);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
