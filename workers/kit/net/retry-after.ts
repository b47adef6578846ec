const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
/** The three forms of an HTTP date (RFC 9110, 5.6.7). All are in GMT; the last one omits it. */
const HTTP_DATE = new RegExp(`^${DAY}(?:, [\\w ]+ |[a-z]*day, [\\w-]+ | \\w{3} [ \\d]\\d )[\\d:]+ (?:GMT|\\d{4})$`);

/**
 * Returns the seconds of a `Retry-After` header: 0 for a date in the past, null for a value that is neither a number of
 * seconds nor an HTTP date.
 */
export function readRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  if (!HTTP_DATE.test(text)) return null;
  const date = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - nowMs) / 1000));
}
