import { type GoTrueError, parametersOf } from "./errors.ts";

/** The URL that users are redirected to if the requested URL is not allowed. */
export const SITE_URL = "http://localhost:3000";

/** Returns the requested URL if it belongs to the site, else the site. Any port of a loopback site is allowed. */
export function allowedOr(requestedUrl: string | null): string {
  if (requestedUrl === null || !URL.canParse(requestedUrl)) return SITE_URL;
  const { protocol, hostname } = new URL(requestedUrl);
  const site = new URL(SITE_URL);
  return protocol === site.protocol && hostname === site.hostname ? requestedUrl : SITE_URL;
}

/** Encodes parameters in alphabetical order, as Go does; `sb` marks redirects of the server. */
const encode = (values: Record<string, string>): string =>
  new URLSearchParams(Object.entries({ ...values, sb: "" }).toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();

/** Returns the redirect with tokens in the fragment. */
export function withTokens(address: string, tokens: Record<string, unknown>, type: string): string {
  const { access_token, expires_at, expires_in, refresh_token, token_type } = tokens;
  const texts = { access_token, expires_at, expires_in, refresh_token, token_type, type };
  return `${address}#${encode(Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, String(value)])))}`;
}

/** Returns the redirect with a code in the query. */
export function withCode(address: string, code: string): string {
  const url = new URL(address);
  url.searchParams.set("code", code);
  return url.href;
}

/** Returns the redirect with an error in the fragment; errors of a provider are in the query too. */
export function withError(address: string, error: GoTrueError | Record<string, string>, isProvider: boolean): string {
  const values = error instanceof Error ? parametersOf(error) : error;
  const url = new URL(address);
  if (isProvider) for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  url.hash = encode(values);
  return url.href;
}
