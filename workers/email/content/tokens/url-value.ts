export type UrlValueProblem = "scheme_not_allowed" | "host_not_allowed" | "invalid";

export interface UrlRules {
  authLane: boolean;
  /** Hosts in lower case with an optional `:port`. An entry without a port allows every port. */
  authLinkHosts: readonly string[];
  debug: boolean;
}

/** Maximum characters of a URL in a mail. */
export const MAX_URL_CHARS = 2048;
// Some programs read a backslash as a slash, so the host of such a URL is ambiguous.
const FORBIDDEN_CHARS = /[\s\p{Cc}\p{Cs}\\]/u;
// The apps of `npm start` are at names under localhost.
const LOOPBACK_HOST = /^(?:(?:[a-z0-9-]+\.)*localhost|127\.0\.0\.1)$/;

/** Splits `host`, `host:port`, `::1` and `[::1]:port`. The port is "" when the entry has none. */
function splitHostEntry(entry: string): { host: string; port: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  if (bracketed) return { host: bracketed[1] ?? "", port: bracketed[2] ?? "" };
  const colon = entry.indexOf(":");
  if (colon < 0 || colon !== entry.lastIndexOf(":")) return { host: entry, port: "" };
  return { host: entry.slice(0, colon), port: entry.slice(colon + 1) };
}

/** Returns whether an https URL is on one of the listed hosts. */
export function isListedHost(url: URL, authLinkHosts: readonly string[]): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? "443" : url.port;
  return authLinkHosts.some((entry) => {
    const allowed = splitHostEntry(entry);
    return allowed.host === host && (allowed.port === "" || allowed.port === port);
  });
}

/** Returns why a URL is not allowed in a mail, or null when it is allowed. */
export function urlValueProblem(value: string, rules: UrlRules): UrlValueProblem | null {
  if (value.length > MAX_URL_CHARS || FORBIDDEN_CHARS.test(value) || !URL.canParse(value)) return "invalid";
  const url = new URL(value);
  if (url.protocol === "mailto:" || url.protocol === "tel:") {
    if (rules.authLane) return "scheme_not_allowed";
    return url.pathname === "" ? "invalid" : null;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return "scheme_not_allowed";
  const authority = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1];
  if (authority === undefined || authority.includes("@")) return "invalid";
  if (url.protocol === "http:") {
    return rules.debug && LOOPBACK_HOST.test(url.hostname) ? null : "scheme_not_allowed";
  }
  if (rules.authLane && !isListedHost(url, rules.authLinkHosts)) return "host_not_allowed";
  return null;
}
