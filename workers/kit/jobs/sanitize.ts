const MAX_LENGTH = 300;
const FILTERED = "[Filtered]";

const SECRET_NAME =
  "[\\w.-]*(?:token|secret|passw(?:or)?d|pwd|passphrase|api[_-]?key|private[_-]?key|access[_-]?key|credentials?|authorization|signature|session|cookie)[\\w.-]*";

/** What is taken out of a message, in this order: each rule sees what the ones before left. */
const RULES: readonly [pattern: RegExp, replacement: string][] = [
  // URLs keep scheme, host and path: userinfo, then query and fragment go.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, "$1"],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, "$1"],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${FILTERED}`],
  [
    new RegExp(`(${SECRET_NAME}["']?\\s*[=:]\\s*)(?!\\w+ \\[Filtered\\])("[^"]*"|'[^']*'|[^\\s,;&]+)`, "gi"),
    `$1${FILTERED}`,
  ],
  // JSON web tokens
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, FILTERED],
  [/\b[0-9a-f]{32,}\b/gi, FILTERED],
  // keys of this platform and of well-known services
  [
    /\b(?:whsec_|esk_|opk_|pst_|re_|[srp]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|AIza)[\w+/=-]{6,}/g,
    FILTERED,
  ],
  // addresses of people are no secret, but have no place in a log either
  [/[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+/g, FILTERED],
];

/**
 * A message that may be stored and logged: one line of at most 300 characters, without URL queries, credentials and
 * tokens (details of Document 3, 3.5).
 */
export function sanitizeMessage(text: string): string {
  // A message of a fault may be huge; what is far behind the cut is never looked at.
  let line = text
    .slice(0, 10_000)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  for (const [pattern, replacement] of RULES) line = line.replace(pattern, replacement);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
