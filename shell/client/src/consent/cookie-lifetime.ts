const units = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
  { unit: "second", seconds: 1 },
] as const;

/** Formats a cookie's lifetime in the largest unit that fits: “1 hour”, “1.5 days”. */
export function formatCookieLifetime(seconds: number, language: string): string {
  const { unit, seconds: size } = units.find((candidate) => seconds >= candidate.seconds) ?? units[3];
  const format = new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 1,
  });
  return format.format(seconds / size);
}
