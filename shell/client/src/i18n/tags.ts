const rightToLeft = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ku", "ps", "sd", "ug", "ur", "yi"]);

/** Returns the writing direction of a language. */
export function directionOf(code: string): "ltr" | "rtl" {
  if (/-(Arab|Hebr)\b/i.test(code)) return "rtl";
  if (/-Latn\b/i.test(code)) return "ltr";
  return rightToLeft.has(baseOf(code)) ? "rtl" : "ltr";
}

/** Returns the base language of a tag in lower case: `fr` for `fr-CA`. */
export const baseOf = (code: string): string => code.split("-")[0]?.toLowerCase() ?? code;

/**
 * Returns the offered language for the first preference that has one, by exact tag or else by base language. Returns the first
 * offered language if no preference has one.
 */
export function chooseLanguage(preferences: readonly (string | undefined)[], offered: readonly string[]): string {
  for (const preference of preferences) {
    if (preference === undefined) continue;
    const exact = offered.find((tag) => tag.toLowerCase() === preference.toLowerCase());
    const match = exact ?? offered.find((tag) => baseOf(tag) === baseOf(preference));
    if (match !== undefined) return match;
  }
  return offered[0] ?? "en";
}
