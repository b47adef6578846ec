const rightToLeft = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ku", "ps", "sd", "ug", "ur", "yi"]);

/** Direction of a language's writing. */
export function directionOf(code: string): "ltr" | "rtl" {
  if (/-(Arab|Hebr)\b/i.test(code)) return "rtl";
  if (/-Latn\b/i.test(code)) return "ltr";
  return rightToLeft.has(baseOf(code)) ? "rtl" : "ltr";
}

/** `fr-CA` → `fr` */
export const baseOf = (code: string): string => code.split("-")[0]?.toLowerCase() ?? code;

/** The offered language that stands for the first wish that has one: the same tag, else the same base. */
export function chooseLanguage(wishes: readonly (string | undefined)[], offered: readonly string[]): string {
  for (const wish of wishes) {
    if (wish === undefined) continue;
    const exact = offered.find((tag) => tag.toLowerCase() === wish.toLowerCase());
    const near = exact ?? offered.find((tag) => baseOf(tag) === baseOf(wish));
    if (near !== undefined) return near;
  }
  return offered[0] ?? "en";
}
