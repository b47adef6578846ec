/** The languages of pages and test emails. */
export type PageLanguage = "en" | "fr";

/** Returns `fr` when the header prefers French to English, else `en`. */
export function choosePageLanguage(acceptLanguage: string | undefined): PageLanguage {
  const preferences = (acceptLanguage ?? "").slice(0, 1000).split(",").map(readPreference);
  const best = preferences.reduce((a, b) => (b.quality > a.quality ? b : a), { language: "en", quality: 0 });
  return best.language === "fr" ? "fr" : "en";
}

/** Returns whether an error should be a page, that is, whether `Accept` lists `text/html`. */
export function wantsHtml(request: Request): boolean {
  return (request.headers.get("accept") ?? "").toLowerCase().includes("text/html");
}

/** Returns the language of a page: the stored language, or else the one that `Accept-Language` prefers. */
export function pageLanguage(stored: string | null, acceptLanguage: string | null | undefined): PageLanguage {
  return stored === "en" || stored === "fr" ? stored : choosePageLanguage(acceptLanguage ?? undefined);
}

/**
 * Returns the language of a page: that of the query parameter `language`, which the language link of pages sets, or else the
 * stored language, or else the one that `Accept-Language` prefers.
 */
export function requestLanguage(request: Request, stored: string | null = null): PageLanguage {
  const chosen = new URL(request.url).searchParams.get("language");
  return pageLanguage(chosen === "en" || chosen === "fr" ? chosen : stored, request.headers.get("accept-language"));
}

function readPreference(part: string): { language: string; quality: number } {
  const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
  const language = tag.split("-")[0] ?? "";
  const quality = parameters.map((parameter) => /^\s*q=(\d(?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]).find(Boolean);
  // Other languages are ignored; only English and French are compared.
  return { language, quality: ["en", "fr"].includes(language) ? Number(quality ?? 1) : 0 };
}
