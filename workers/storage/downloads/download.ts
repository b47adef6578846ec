import type { ObjectRow } from "../../../db/storage/schema";
import { isStillValid, type Range, readRange } from "../../kit/files/conditions";
import { attachment } from "../../kit/files/content-disposition";
import { isPassive } from "../../kit/files/mime-type";
import { errorName } from "../../kit/log";
import { DAY_MS } from "../../kit/time";
import { findObjectIn, noteAccess } from "../objects/object";
import { basenameOf } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";

/**
 * The bytes of an object as RFC 9110 asks for them: conditions (13.1), one range (14), HEAD. `download` as the query has it:
 * a name, empty for its own, null for none. `admit` is asked once, before the first byte of an answer that has any to give.
 */
export async function serveObject(
  services: StorageServices,
  request: Request,
  object: ObjectRow,
  download: string | null,
  admit: () => Promise<void> = async () => {},
): Promise<Response> {
  const { headers: asked, method } = request;
  const version = { tag: `"${object.etag}"`, updatedAt: object.updated_at, size: object.size };
  const headers = objectHeaders(object, version.tag, download);
  if (isStillValid(asked, version)) return new Response(null, { status: 304, headers, encodeBody: "manual" });
  const range = method === "GET" ? readRange(asked, version, services.clock.now()) : null;
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
  noteDownload(services, object);
  if (body === null) return new Response(null, { status, headers, encodeBody: "manual" });
  // Of a stream whose length is not known by itself, the length would not be sent.
  const pipe = new FixedLengthStream(length);
  services.waitUntil(
    body.pipeTo(pipe.writable).catch((error) => services.log.info("download ended early", { cause: errorName(error) })),
  );
  return new Response(pipe.readable, { status, headers, encodeBody: "manual" });
}

async function openBlob(services: StorageServices, object: ObjectRow, range: Range | null): Promise<ReadableStream> {
  const options = range === null ? {} : { range };
  let found: R2ObjectBody | null;
  try {
    found = await services.objects.get(object.blob_key, options);
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  if (found !== null) return found.body;
  // A version that was replaced a while ago has no blob any more.
  const { company_id: companyId, bucket_id: bucketId, name } = object;
  const isCurrent = await services.dbOf(companyId).first(findObjectIn({ bucketId, name }));
  throw new Problem(isCurrent?.blob_key === object.blob_key ? "storage_error" : "object_not_found");
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
  // Of what runs nothing, a stricter policy would stop only players and frames.
  const policy = isPassive(object.mime_type) ? "script-src 'none'" : "sandbox; default-src 'none'";
  headers.set("content-security-policy", policy);
  return headers;
}

function noteDownload(services: StorageServices, { company_id, bucket_id, name, last_accessed_at }: ObjectRow): void {
  const now = services.clock.now();
  if (last_accessed_at !== null && now - last_accessed_at < DAY_MS) return;
  const note = services.dbOf(company_id).run(noteAccess({ bucketId: bucket_id, name, now }));
  services.waitUntil(note.catch((error) => services.log.warn("access not noted", { cause: errorName(error) })));
}
