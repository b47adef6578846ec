import { LOGO_NAME_PATTERN } from "../../../../schemas/email/content/branding";
import { isUnchanged } from "../../../kit/http/etag";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";

const logoName = new RegExp(LOGO_NAME_PATTERN);

/** Returns the key of a logo in the bucket. */
export const logoKey = (sha256: string): string => `logos/${sha256}`;

/** Returns the public URL of a logo. */
export const logoUrl = ({ emailPublicUrl }: { emailPublicUrl: string }, sha256: string): string =>
  `${emailPublicUrl}/static/logos/${sha256}`;

/**
 * Returns the URL of a logo when this service stores it, else "". Pages show only stored logos, because another host would see
 * who opens the page.
 */
export const storedLogoOf = (settings: { emailPublicUrl: string }, url: string): string =>
  url.startsWith(logoUrl(settings, "")) ? url : "";

/**
 * Serves a logo by the SHA-256 of its bytes with 200 or 304. Throws 404 `not_found` or 502 `storage_error`. The path is
 * public, so a malformed name is rejected before any read, and the cache is read before the bucket.
 */
export async function serveLogo(services: EmailServices, request: Request, sha256: string): Promise<Response> {
  if (!logoName.test(sha256)) throw new Problem("not_found");
  // The cache key omits the query string, because a caller could vary it to bypass the cache.
  const address = logoUrl(services.settings, sha256);
  const response = (await localCache().match(address)) ?? (await readStored(services, sha256, address));
  const headers = new Headers(response.headers);
  if (isUnchanged(request.headers.get("if-none-match") ?? undefined, etagOf(sha256))) {
    await response.body?.cancel();
    headers.delete("content-length");
    return new Response(null, { status: 304, headers });
  }
  return new Response(response.body, { headers });
}

/** Returns the Cloudflare cache of this data centre. The DOM types lack `caches.default`. */
const localCache = (): Cache => (caches as unknown as { default: Cache }).default;

const etagOf = (sha256: string): string => `"${sha256}"`;

async function readStored(
  { objects, waitUntil }: Pick<EmailServices, "objects" | "waitUntil">,
  sha256: string,
  address: string,
): Promise<Response> {
  let stored: R2ObjectBody | null;
  let bytes: ArrayBuffer | null;
  try {
    stored = await objects.get(logoKey(sha256));
    bytes = (await stored?.arrayBuffer()) ?? null;
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  if (stored === null || bytes === null) throw new Problem("not_found");
  const response = new Response(bytes, {
    headers: {
      "content-type": stored.httpMetadata?.contentType ?? "application/octet-stream",
      "content-length": String(bytes.byteLength),
      "cache-control": "public, max-age=31536000, immutable",
      etag: etagOf(sha256),
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
    },
  });
  waitUntil(localCache().put(address, response.clone()));
  return response;
}
