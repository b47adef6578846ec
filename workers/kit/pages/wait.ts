import type { PageLanguage } from "../http/request/page-language";

/** A wait in words: seconds up to 90, then minutes, rounded up. */
export function describeWait(seconds: number, language: PageLanguage): string {
  const [count, unit] = seconds > 90 ? ([Math.ceil(seconds / 60), "minute"] as const) : ([seconds, "second"] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** The wait that a refusal asks for in its `Retry-After`, in words. */
export function waitOf(headers: Record<string, string>, language: PageLanguage): string {
  return describeWait(Number(headers["retry-after"] ?? 1), language);
}
