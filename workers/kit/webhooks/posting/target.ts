import { resolveCached } from "../../net/dns-cache";
import { checkPublicHost } from "../../net/public-address";
import type { WebhooksContext } from "../context";

const MAX_URL_LENGTH = 2048;

/** Ports that the Fetch Standard blocks ("port blocking"), and port 0. */
const BLOCKED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** An allowed subscription URL without its fragment, and the host by which deliveries are limited. */
export type Target = { url: string; host: string; isInsecure: boolean };

export type TargetResult =
  | { ok: true; target: Target }
  | { ok: false; code: "required" | "invalid" | "credentials" | "not_public" };

/** Returns the function that resolves host names, with a cache in the isolate. */
export function resolverOf({ settings, fetch, clock }: WebhooksContext): (name: string) => Promise<string[]> {
  return (name) => resolveCached(name, settings.dnsResolverUrl, fetch, clock);
}

/**
 * Reads the URL of a subscription and, unless `allowPrivate`, checks that its host is public. An address is checked
 * directly, a name by the addresses that `resolve` returns. A name that cannot be resolved is accepted, because each
 * attempt checks it again.
 */
export async function readTarget(
  text: string,
  options: { allowPrivate: boolean; resolve: (name: string) => Promise<string[]> },
): Promise<TargetResult> {
  if (text.trim() === "") return { ok: false, code: "required" };
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || BLOCKED_PORTS.has(Number(url.port || "80"))) {
    return { ok: false, code: "invalid" };
  }
  if (url.username !== "" || url.password !== "" || hasUserinfo(text)) return { ok: false, code: "credentials" };
  url.hash = "";
  if (text.length > MAX_URL_LENGTH || url.href.length > MAX_URL_LENGTH) return { ok: false, code: "invalid" };
  if (!options.allowPrivate) {
    const check = await checkPublicHost(url.hostname, options.resolve);
    if (!check.ok && check.reason === "not_public") return { ok: false, code: "not_public" };
  }
  return { ok: true, target: { url: url.href, host: normalizedHost(url), isInsecure: url.protocol === "http:" } };
}

/** Returns the host without a trailing dot, and the port unless it is the default of the scheme. */
export function normalizedHost(url: URL): string {
  const name = url.hostname.replace(/\.$/, "");
  return url.port === "" ? name : `${name}:${url.port}`;
}

/** Returns whether a URL has user info. The parsed URL omits an empty user name, so the text is checked. */
function hasUserinfo(text: string): boolean {
  const authority = /^\s*https?:[/\\]*([^/\\?#]*)/i.exec(text)?.[1] ?? "";
  return authority.includes("@");
}
