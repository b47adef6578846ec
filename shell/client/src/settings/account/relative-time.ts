const units = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

/** Formats a time relative to now, as in “5 minutes ago”. Times are in ms since the epoch. */
export function relativeTime(time: number, now: number, language: string): string {
  const seconds = Math.round((time - now) / 1000);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const largest = units.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  return largest === undefined
    ? format.format(0, "second")
    : format.format(Math.round(seconds / largest.seconds), largest.unit);
}
