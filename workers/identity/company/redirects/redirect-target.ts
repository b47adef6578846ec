import { invalid } from "../../../kit/problem";

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const UNSAFE = /[\u0000-\u0020\u007f-\u009f\\]/;

/** What we put into the query of a target. */
const OWN_PARAMETERS = /^(?:platform_auth_code|platform_oauth_error.*)$/;

/**
 * A redirect target by the WHATWG rules, or null. It has no fragment and no parameters of ours: those of an earlier sign-in
 * are nobody's, neither for the application nor for the redeem that names the target again.
 */
export function parseRedirect(value: string): URL | null {
  if (value.length > 2048 || UNSAFE.test(value)) return null;
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(value) || url.username || url.password) return null;
  url.hash = "";
  const own = [...url.searchParams.keys()].filter((name) => OWN_PARAMETERS.test(name));
  // Deleting rewrites the whole query in form encoding, so it is left alone when there is nothing to delete.
  for (const name of own) url.searchParams.delete(name);
  return url;
}

/** As parseRedirect; 400 `redirect_to: [invalid]` instead of null. */
export function requireRedirect(value: string): URL {
  const url = parseRedirect(value);
  if (!url) throw invalid({ redirect_to: ["invalid"] });
  return url;
}

/**
 * Whether the target may be used: loopback hosts always; otherwise https (http in debug) and an origin that `isListed`,
 * which is an active row of the company's allowlist.
 */
export function isRedirectAllowed(url: URL, isListed: boolean, debug: boolean): boolean {
  if (isLoopback(url)) return true;
  return (url.protocol === "https:" || debug) && isListed;
}

/** Whether the host is exactly `localhost`, `127.0.0.1` or `[::1]`. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOSTS.has(url.hostname);
}

/** What a redeem must name again: scheme, host, port, path and the decoded query pairs in order. */
export function redirectKey(url: URL): string {
  return JSON.stringify([url.origin, url.pathname, [...url.searchParams]]);
}
