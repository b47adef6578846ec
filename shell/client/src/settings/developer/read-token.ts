const times = new Set(["exp", "iat", "nbf", "auth_time"]);

/** Formats the claims of a token, with readable times. The token is decoded, not verified. */
export function readToken(token: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  try {
    const bytes = Uint8Array.from(
      atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")),
      (letter) => letter.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return JSON.stringify(
      claims,
      (name, value: unknown) =>
        times.has(name) && typeof value === "number" ? `${value} (${format.format(value * 1000)})` : value,
      2,
    );
  } catch {
    return token === "" ? "" : "…";
  }
}
