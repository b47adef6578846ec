const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = "(\\d{2}):(\\d{2}):(\\d{2})";
/** The three forms of an HTTP date (RFC 9110, 5.6.7). */
const FORMS: readonly { pattern: RegExp; parts: (match: string[]) => string[] }[] = [
  {
    pattern: new RegExp(`^[A-Z][a-z]{2}, (\\d{2}) ([A-Z][a-z]{2}) (\\d{4}) ${TIME} GMT$`),
    parts: ([, day = "", month = "", year = "", ...time]) => [year, month, day, ...time],
  },
  {
    pattern: new RegExp(`^[A-Z][a-z]+day, (\\d{2})-([A-Z][a-z]{2})-(\\d{2}) ${TIME} GMT$`),
    parts: ([, day = "", month = "", year = "", ...time]) => [year, month, day, ...time],
  },
  {
    pattern: new RegExp(`^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \\d]\\d) ${TIME} (\\d{4})$`),
    parts: ([, month = "", day = "", hour = "", minute = "", second = "", year = ""]) => [
      ...[year, month, day],
      ...[hour, minute, second],
    ],
  },
];

/** The seconds that a `Retry-After` asks for, 0 for a date of the past; null when it is neither digits nor an HTTP date. */
export function readRetryAfter(value: string | null, nowMs: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text);
  const date = readHttpDate(text, nowMs);
  return date === null ? null : Math.max(0, Math.ceil((date - nowMs) / 1000));
}

/** An HTTP date as unix ms; null when it is none or does not exist in the calendar. */
function readHttpDate(text: string, nowMs: number): number | null {
  for (const { pattern, parts } of FORMS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const [yearText = "", monthName = "", ...rest] = parts(match);
    const month = MONTHS.indexOf(monthName);
    const [day = 0, hour = 0, minute = 0, second = 0] = rest.map(Number);
    const year = yearText.length === 2 ? nearestYear(Number(yearText), nowMs) : Number(yearText);
    const ms = Date.UTC(year, month, day, hour, minute, second);
    const isReal = month >= 0 && new Date(ms).getUTCDate() === day && hour < 24 && minute < 60 && second < 61;
    return isReal ? ms : null;
  }
  return null;
}

/** Two digits that seem more than 50 years ahead mean the most recent past year that ends so (RFC 9110, 5.6.7). */
function nearestYear(digits: number, nowMs: number): number {
  const present = new Date(nowMs).getUTCFullYear();
  const year = present - (present % 100) + digits;
  return year > present + 50 ? year - 100 : year;
}
