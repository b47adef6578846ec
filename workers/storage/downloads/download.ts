import type { ObjectRow } from "../../../db/storage/schema";
import { isStillValid, type Range, readRange } from "../../kit/files/conditions";
import { attachment } from "../../kit/files/content-disposition";
import { isPassive } from "../../kit/files/mime-type";
import { errorName } from "../../kit/log";
import { DAY_MS } from "../../kit/time";
import { findObjectIn, recordAccess } from "../objects/object";
import { basenameOf } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/**
 * Serves an object by RFC 9110: conditional requests (13.1), a single range (14) and HEAD. `download` is the query parameter:
 * the file name of an attachment, empty for the object's own name, or null for inline display. Calls `admit` once before a
 * 200 or 206 response to GET.
 */
export async function serveObject(
  services: StorageServices,
  request: Request,
  object: ObjectRow,
  download: string | null,
  admit: () => Promise<void> = async () => {},
): Promise<Response> {
  const { headers: requestHeaders, method } = request;
  const version = { tag: `"${object.etag}"`, updatedAt: object.updated_at, size: object.size };
  const headers = objectHeaders(object, version.tag, download);
  if (isStillValid(requestHeaders, version)) return new Response(null, { status: 304, headers, encodeBody: "manual" });
  const range = method === "GET" ? readRange(requestHeaders, version, services.clock.now()) : null;
  if (range === "unsatisfiable") {
    throw new Problem("range_not_satisfiable", { headers: { "content-range": `bytes */${object.size}` } });
  }
  const { offset, length } = range ?? { offset: 0, length: object.size };
  headers.set("content-length", String(length));
  if (range) headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${object.size}`);
  const status = range ? 206 : 200;
  if (method === "HEAD") return new Response(null, { status, headers, encodeBody: "manual" });
  const body = length === 0 ? null : await openBlob(services, object, range);
  try {
    await admit();
  } catch (error) {
    await body?.cancel();
    throw error;
  }
  recordDownload(services, object);
  if (body === null) return new Response(null, { status, headers, encodeBody: "manual" });
  // Without FixedLengthStream the runtime drops Content-Length.
  const pipe = new FixedLengthStream(length);
  services.waitUntil(
    body.pipeTo(pipe.writable).catch((error) => services.log.info("download ended early", { cause: errorName(error) })),
  );
  return new Response(pipe.readable, { status, headers, encodeBody: "manual" });
}

/**
 * Opens the bytes of an object, or of a range of it. Throws 404 `object_not_found` when the object was replaced or deleted in
 * the meantime, and 502 `storage_error`.
 */
export async function openBlob(
  services: StorageServices,
  object: ObjectRow,
  range: Range | null,
): Promise<ReadableStream> {
  const options = range === null ? {} : { range };
  let blob: R2ObjectBody | null;
  try {
    blob = await services.objects.get(object.blob_key, options);
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  if (blob !== null) return blob.body;
  // The row may be outdated, because the blob of a replaced version is deleted after a while.
  const { company_id: companyId, bucket_id: bucketId, name } = object;
  const currentObject = await services.dbOf(companyId).first(findObjectIn({ bucketId, name }));
  throw new Problem(currentObject?.blob_key === object.blob_key ? "storage_error" : "object_not_found");
}

function objectHeaders(object: ObjectRow, tag: string, download: string | null): Headers {
  const headers = new Headers({
    "content-type": object.mime_type,
    etag: tag,
    "last-modified": new Date(object.updated_at).toUTCString(),
    "accept-ranges": "bytes",
    "content-disposition": download === null ? "inline" : attachment(download || basenameOf(object.name)),
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    "x-object-version": String(object.version),
  });
  if (object.content_encoding !== null) headers.set("content-encoding", object.content_encoding);
  // Passive media cannot run scripts; a sandbox would only break players and frames.
  const policy = isPassive(object.mime_type) ? "script-src 'none'" : "sandbox; default-src 'none'";
  headers.set("content-security-policy", policy);
  return headers;
}

function recordDownload(services: StorageServices, { company_id, bucket_id, name, last_accessed_at }: ObjectRow): void {
  const now = services.clock.now();
  if (last_accessed_at !== null && now - last_accessed_at < DAY_MS) return;
  const recording = services.dbOf(company_id).run(recordAccess({ bucketId: bucket_id, name, now }));
  services.waitUntil(
    recording.catch((error) => services.log.warn("last access not recorded", { cause: errorName(error) })),
  );
}
