import { invalid } from "../../../kit/problem";

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const UNSAFE = /[\u0000-\u0020\u007f-\u009f\\]/;

/** The query parameters that the platform adds to a redirect target. */
const PLATFORM_PARAMETERS = /^(?:platform_auth_code|platform_oauth_error.*)$/;

/**
 * Parses a redirect target by the WHATWG URL rules, or returns null. Removes the fragment, and the parameters that the
 * platform added at an earlier sign-in: the application must not receive them again, and a redeem request need not repeat
 * them.
 */
export function parseRedirect(value: string): URL | null {
  if (value.length > 2048 || UNSAFE.test(value)) return null;
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(value) || url.username || url.password) return null;
  url.hash = "";
  const platformParameters = [...url.searchParams.keys()].filter((name) => PLATFORM_PARAMETERS.test(name));
  // searchParams.delete rewrites the whole query in form encoding, so it runs only when there is a parameter to delete.
  for (const name of platformParameters) url.searchParams.delete(name);
  return url;
}

/** Like parseRedirect, but throws 400 `redirect_to: [invalid]` instead of returning null. */
export function requireRedirect(value: string): URL {
  const url = parseRedirect(value);
  if (!url) throw invalid({ redirect_to: ["invalid"] });
  return url;
}

/**
 * Returns whether the target may be used. Loopback hosts are always allowed. Other targets need https (or http in DEBUG) and
 * an origin on the company's allowlist (`isListed`).
 */
export function isRedirectAllowed(url: URL, isListed: boolean, debug: boolean): boolean {
  if (isLoopback(url)) return true;
  return (url.protocol === "https:" || debug) && isListed;
}

/** Returns whether the host is exactly `localhost`, `127.0.0.1` or `[::1]`. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOSTS.has(url.hostname);
}

/**
 * Returns the canonical form of a redirect target: scheme, host, port, path and the decoded query pairs in order. The
 * target in a redeem request must have the same canonical form.
 */
export function redirectKey(url: URL): string {
  return JSON.stringify([url.origin, url.pathname, [...url.searchParams]]);
}
