/** The shell's own languages: to ask the browser for a first name takes longer than the rest of a sign-in's drawing. */
const shellLanguages: Record<string, string> = { en: "English", fr: "Français" };

/** The language's own name for itself. */
export function nameOf(code: string): string {
  const name = shellLanguages[code] ?? new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
