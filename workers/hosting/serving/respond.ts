import type { ManifestFile } from "../../../schemas/hosting/manifest";
import { isStillValid, readRange } from "../../kit/files/conditions";
import { errorName } from "../../kit/log";
import { blobKey, variantKey } from "../files/keys";
import type { LoadedManifest } from "../live/manifests";
import { applyHeaderRules } from "../rules/compiled-rules";
import type { HostingServices } from "../services";
import { acceptsGzip } from "./encoding";
import { frameAncestorsOf } from "./frame-ancestors";
import { hasContentHash, isCompressible, isDocument } from "./names";

/** A file to serve. `changedAt` (unix ms) is when its deployment went live. */
export type ServedFile = {
  companyId: number;
  manifest: LoadedManifest;
  path: string;
  file: ManifestFile;
  status: 200 | 404;
  changedAt: number;
  /** the address of a single deployment: not indexed */
  isDeployment: boolean;
  /** only members may see it: not stored by shared caches */
  isPrivate: boolean;
};

/** Largest body that is read from R2 before the response starts, in bytes. */
const MAX_BUFFERED = 64 * 1024;

/** The stored bytes that a response sends: the file itself, or its gzip variant. */
type Representation = { key: string; size: number; tag: string; isGzip: boolean };

/**
 * Returns the response with a file by RFC 9110: conditional requests (13.1), a single range (14), HEAD, and the gzip variant where the
 * client accepts it. A 304 reads no body. Throws when R2 fails or lacks the file.
 */
export async function respondWithFile(
  services: HostingServices,
  request: Request,
  served: ServedFile,
): Promise<Response> {
  const { manifest, status, changedAt } = served;
  const { headers: requestHeaders, method } = request;
  const isGzipAccepted = acceptsGzip(acceptedEncodings(request)) && !requestHeaders.has("range");
  const chosen = representationOf(served, isGzipAccepted ? manifest.variants : null);
  const headers = await headersOf(services, request, served);
  headers.set("etag", chosen.tag);
  if (status === 200) {
    // A client that stored the other representation may keep it, because both have the same content.
    const tags = [chosen.tag, representationOf(served, null).tag, gzipTag(served.file)];
    const valid = tags.find((tag) => isStillValid(requestHeaders, { tag, updatedAt: changedAt }));
    if (valid !== undefined) {
      headers.set("etag", valid);
      return new Response(null, { status: 304, headers, encodeBody: "manual" });
    }
  }
  const version = { tag: chosen.tag, updatedAt: changedAt, size: chosen.size };
  const range = method === "GET" && status === 200 ? readRange(requestHeaders, version, services.clock.now()) : null;
  if (range === "unsatisfiable") {
    headers.set("content-range", `bytes */${chosen.size}`);
    headers.set("cache-control", "no-store");
    headers.delete("etag");
    return new Response(null, { status: 416, headers });
  }
  const { offset, length } = range ?? { offset: 0, length: chosen.size };
  headers.set("content-length", String(length));
  if (chosen.isGzip) headers.set("content-encoding", "gzip");
  if (range) headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${chosen.size}`);
  const init: ResponseInit = { status: range ? 206 : status, headers, encodeBody: "manual" };
  if (method === "HEAD" || length === 0) return new Response(null, init);
  const blob = await services.files.get(chosen.key, range === null ? {} : { range });
  if (blob === null) {
    // Clean-up may remove a variant before its file.
    if (chosen.isGzip) return respondWithFile(services, withoutEncoding(request), served);
    throw new Error("a file of a manifest is missing");
  }
  // A stream from R2 costs two pipes per response, which small files need not pay.
  if (length <= MAX_BUFFERED) return new Response(await blob.arrayBuffer(), init);
  // Without FixedLengthStream the runtime drops Content-Length.
  const pipe = new FixedLengthStream(length);
  services.waitUntil(
    blob.body
      .pipeTo(pipe.writable)
      .catch((error) => services.log.info("response ended early", { cause: errorName(error) })),
  );
  return new Response(pipe.readable, init);
}

/** Returns what the client accepts. Cloudflare replaces `Accept-Encoding` and keeps the client's own value, if it sent one, in `cf`. */
function acceptedEncodings({ cf, headers }: Request): string | null {
  if (cf === undefined) return headers.get("accept-encoding");
  return typeof cf.clientAcceptEncoding === "string" ? cf.clientAcceptEncoding : null;
}

function withoutEncoding(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("accept-encoding");
  return new Request(request.url, { method: request.method, headers });
}

const gzipTag = ({ sha256 }: ManifestFile): string => `"${sha256}-gzip"`;

function representationOf(
  { companyId, file }: ServedFile,
  variants: LoadedManifest["variants"] | null,
): Representation {
  // A file of another type may have the same bytes; its responses do not vary by encoding.
  const size = isCompressible(file.type) ? variants?.get(file.sha256) : undefined;
  return size === undefined
    ? { key: blobKey(companyId, file.sha256), size: file.size, tag: `"${file.sha256}"`, isGzip: false }
    : { key: variantKey(companyId, file.sha256, "gzip"), size, tag: gzipTag(file), isGzip: true };
}

/** Returns the headers of a file: the defaults, then the rules of `_headers`, then what rules cannot change. */
async function headersOf(services: HostingServices, request: Request, served: ServedFile): Promise<Headers> {
  const { file, path, status, changedAt, companyId, manifest } = served;
  const headers = new Headers({
    "content-type": contentTypeOf(file),
    "last-modified": new Date(changedAt).toUTCString(),
    "accept-ranges": "bytes",
    "cache-control": status === 200 && hasContentHash(path) ? IMMUTABLE : REVALIDATED,
    "x-content-type-options": "nosniff",
    "referrer-policy": "strict-origin-when-cross-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
  });
  if (services.settings.apps.scheme === "https") headers.set("strict-transport-security", `max-age=${2 * YEAR_S}`);
  applyHeaderRules(manifest.rules, new URL(request.url), headers);
  if (isCompressible(file.type)) headers.append("vary", "Accept-Encoding");
  if (served.isPrivate) headers.set("cache-control", `private, ${REVALIDATED.replace("public, ", "")}`);
  if (served.isDeployment) headers.set("x-robots-tag", "noindex");
  if (isDocument(file.type)) headers.append("content-security-policy", await frameAncestorsOf(services, companyId));
  return headers;
}

const YEAR_S = 31_536_000;
const IMMUTABLE = `public, max-age=${YEAR_S}, immutable`;
const REVALIDATED = "public, max-age=0, must-revalidate";

/** Returns the media type of a file. Texts are UTF-8 unless the type says otherwise. */
function contentTypeOf({ type }: ManifestFile): string {
  const isText = /^text\/[a-z0-9.+-]+$|^application\/(?:javascript|json|xml|manifest\+json)$/iu.test(type);
  return isText ? `${type}; charset=utf-8` : type;
}
