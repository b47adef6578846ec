import type { PageLanguage } from "../http/request/page-language";

/** Returns a wait as text: seconds up to 90, then minutes, rounded up. */
export function describeWait(seconds: number, language: PageLanguage): string {
  const [count, unit] = seconds > 90 ? ([Math.ceil(seconds / 60), "minute"] as const) : ([seconds, "second"] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** Returns the wait of a `Retry-After` header as text. */
export function waitOf(headers: Record<string, string>, language: PageLanguage): string {
  return describeWait(Number(headers["retry-after"] ?? 1), language);
}
