import type { ObjectRow } from "../../../db/storage/schema";
import { COMPANY_BUCKET } from "../../../schemas/storage/buckets";
import type { RowOfStatement } from "../../kit/db/statement";
import { isUnchanged } from "../../kit/http/etag";
import { errorName } from "../../kit/log";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../kit/time";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { isPassive } from "./mime-type";
import { findBucketAndObject, findObjectIn, noteAccess } from "./object.store";
import { basenameOf } from "./path";

export { findBucketAndObject } from "./object.store";

/** An object of a company; 404 `bucket_not_found`, `object_not_found`. One statement. */
export async function readObject(
  services: StorageServices,
  at: { companyId: number; bucket: string; path: string },
): Promise<ObjectRow> {
  const { companyId, bucket, path } = at;
  return objectOf(bucket, await services.dbOf(companyId).first(findBucketAndObject({ companyId, bucket, name: path })));
}

/**
 * The object that findBucketAndObject has found in a bucket; 404 `bucket_not_found`, `object_not_found`: `company` is there before
 * anything is stored in it.
 */
export function objectOf(bucket: string, found: RowOfStatement<typeof findBucketAndObject> | null): ObjectRow {
  if (found === null) throw new Problem(bucket === COMPANY_BUCKET ? "object_not_found" : "bucket_not_found");
  const { bucket_uuid: _bucket, bucket_kind: _kind, ...object } = found;
  if (object.id === null) throw new Problem("object_not_found");
  return object as ObjectRow;
}

/** First byte and number of bytes. */
type Range = { offset: number; length: number };

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
  const tag = `"${object.etag}"`;
  const headers = objectHeaders(object, tag, download);
  if (isStillValid(asked, object, tag)) return new Response(null, { status: 304, headers, encodeBody: "manual" });
  const range = method === "GET" ? readRange(asked, object, tag, services.clock.now()) : null;
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

/** Characters of a name that a client is told. */
const MAX_NAME = 255;

/** What no name of a file has: control characters, those that turn the direction of what follows, separators of folders. */
const notInName = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\]/gu;

/** `Content-Disposition` of RFC 6266: a name for old readers, and the whole one. */
function attachment(given: string): string {
  const name = [...decodedName(given)].slice(0, MAX_NAME).join("").replace(notInName, "_");
  const plain = name.replace(/[^\x20-\x7e]|["%]/gu, "_");
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

/** A name that a client has encoded twice, as `storage-js` does in signed URLs; one that is no such thing stays. */
function decodedName(name: string): string {
  if (!/^(?:[\w .~!*'()-]|%[\da-f]{2})*$/i.test(name)) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    // Bytes that are no UTF-8 are not an encoding of a name.
    return name;
  }
}

/** Whether a client has the object, by its tag or else by its time: that of what a move has put there may be an older one. */
function isStillValid(asked: Headers, object: ObjectRow, tag: string): boolean {
  const ifNoneMatch = asked.get("if-none-match");
  if (ifNoneMatch !== null) return isUnchanged(ifNoneMatch, tag);
  const since = Date.parse(asked.get("if-modified-since") ?? "");
  return !Number.isNaN(since) && inSeconds(object.updated_at) === since;
}

/** Times of headers are whole seconds. */
const inSeconds = (ms: number): number => ms - (ms % SECOND_MS);

/** The one range of a request; null for the whole: none, several, another unit, or of another version (`If-Range`). */
function readRange(asked: Headers, object: ObjectRow, tag: string, now: number): Range | "unsatisfiable" | null {
  const found = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(asked.get("range") ?? "");
  const ifRange = asked.get("if-range");
  // Two versions of one second have the same time: it names a version only when it is a while ago (RFC 9110 8.8.2.2).
  const isTimeStrong = now - object.updated_at >= MINUTE_MS;
  const isOfTime = isTimeStrong && Date.parse(ifRange ?? "") === inSeconds(object.updated_at);
  const isSame = ifRange === null || ifRange === tag || isOfTime;
  if (found === null || !isSame) return null;
  const [first, last] = [found[1] ?? "", found[2] ?? ""];
  if (first === "" && last === "") return null;
  const { size } = object;
  const offset = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  return offset >= size || end < offset ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

function noteDownload(services: StorageServices, { company_id, bucket_id, name, last_accessed_at }: ObjectRow): void {
  const now = services.clock.now();
  if (last_accessed_at !== null && now - last_accessed_at < DAY_MS) return;
  const note = services.dbOf(company_id).run(noteAccess({ bucketId: bucket_id, name, now }));
  services.waitUntil(note.catch((error) => services.log.warn("access not noted", { cause: errorName(error) })));
}
