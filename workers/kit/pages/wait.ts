import type { PageLanguage } from "../http/request/page-language";

/** Returns a duration as text: in seconds up to 90, then in minutes, rounded up. */
export function describeWait(seconds: number, language: PageLanguage): string {
  const [count, unit] = seconds > 90 ? ([Math.ceil(seconds / 60), "minute"] as const) : ([seconds, "second"] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** Returns the duration of a `Retry-After` header as text; 1 second without the header. */
export function waitOf(headers: Record<string, string>, language: PageLanguage): string {
  return describeWait(Number(headers["retry-after"] ?? 1), language);
}
