/**
 * Names of the shell's own languages. They are listed here, because the first use of `Intl.DisplayNames` takes longer than
 * rendering the sign-in page.
 */
const shellLanguages: Record<string, string> = { en: "English", fr: "Français" };

/** Returns the name of a language in that language. */
export function nameOf(code: string): string {
  const name = shellLanguages[code] ?? new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
