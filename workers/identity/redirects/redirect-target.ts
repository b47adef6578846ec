import type { FieldErrors } from "../../../schemas/errors";
import { invalid } from "../../kit/problem";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const unsafe = /[\u0000-\u0020\u007f-\u009f\\]/;

/** A redirect target by the WHATWG rules without its fragment, or null (details 3.1, points 1 and 4). */
export function parseRedirect(value: string): URL | null {
  if (value.length > 2048 || unsafe.test(value)) return null;
  if (!URL.canParse(value)) return null;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(value) || url.username || url.password) return null;
  url.hash = "";
  return url;
}

/** As parseRedirect; 400 `redirect_to: [invalid]` instead of null. */
export function requireRedirect(value: string): URL {
  const url = parseRedirect(value);
  if (!url) throw invalid({ redirect_to: ["invalid"] });
  return url;
}

/**
 * Whether the target may be used (details 3.1): loopback hosts always; otherwise https (http in debug) and an origin
 * that `isListed`, i.e. an active row of the company's allowlist.
 */
export function isRedirectAllowed(url: URL, isListed: boolean, debug: boolean): boolean {
  if (isLoopback(url)) return true;
  return (url.protocol === "https:" || debug) && isListed;
}

/** Whether the host is exactly `localhost`, `127.0.0.1` or `[::1]` (details 3.1, point 2). */
export function isLoopback(url: URL): boolean {
  return loopback.has(url.hostname);
}

/** What a redeem must name again: scheme, host, port, path and the decoded query pairs in order (details 3.2). */
export function redirectKey(url: URL): string {
  return JSON.stringify([url.origin, url.pathname, [...url.searchParams]]);
}

const ownParameters = /^(?:platform_auth_code|platform_oauth_error.*)$/;

function withoutOwnParameters(url: URL): URL {
  const target = new URL(url);
  const own = [...target.searchParams.keys()].filter((name) => ownParameters.test(name));
  // Deleting rewrites the whole query in form encoding, so it is left alone when there is nothing to delete.
  for (const name of own) target.searchParams.delete(name);
  return target;
}

function appendQuery(url: URL, pairs: [string, string][]): string {
  const target = withoutOwnParameters(url);
  const added = new URLSearchParams(pairs).toString();
  target.search = target.search ? `${target.search}&${added}` : `?${added}`;
  return target.href;
}

/** A request may ask for the safer `code`, never for `fragment` against the setting; a challenge forces `code`. 400 `[not_allowed]`. */
export function chooseDelivery(
  asked: "code" | "fragment" | null | undefined,
  challenge: string | null | undefined,
  setting: "code" | "fragment",
): "code" | "fragment" {
  const errors: FieldErrors = { token_delivery: ["not_allowed"] };
  if (asked === "fragment" && setting !== "fragment") throw invalid(errors);
  if (challenge) return "code";
  return asked ?? setting;
}

/** Location of delivery `code`. */
export function codeLocation(url: URL, code: string): string {
  return appendQuery(url, [["platform_auth_code", code]]);
}

/** Location of a refusal, with a sentence for people and a code. */
export function errorLocation(url: URL, code: string, sentence: string): string {
  return appendQuery(url, [
    ["platform_oauth_error", sentence.slice(0, 500)],
    ["platform_oauth_error_code", code],
  ]);
}

/** Location of delivery `fragment`; the order of the pairs is that of details 3.2. */
export function fragmentLocation(url: URL, payload: TokenPayload): string {
  const pairs = new URLSearchParams([
    ["access_token", payload.access_token],
    ["refresh_token", payload.refresh_token],
    ["token_type", payload.token_type],
    ["expires_at", String(payload.expires_at)],
    ["expires_in", String(payload.expires_in)],
    ["provider", payload.provider],
  ]);
  return `${withoutOwnParameters(url).href}#${pairs}`;
}

/** The six fields of JSON consume, redeem and refresh (details 3.3); `expires_at` is unix seconds. */
export type TokenPayload = {
  access_token: string;
  refresh_token: string;
  token_type: "bearer";
  expires_in: number;
  expires_at: number;
  provider: string;
};
