import type { BucketRow, ObjectRow } from "../../../db/storage/schema";
import { base64ToBytes, bytesToUtf8, utf8ToBytes } from "../../kit/crypto/encoding";
import { sha256Hex } from "../../kit/crypto/hash";
import { isUnchanged, tagsOf } from "../../kit/http/etag";
import { uuid } from "../../kit/ids";
import { invalid } from "../../kit/problem";
import { DAY_MS, MINUTE_MS } from "../../kit/time";
import type { Member } from "../access/member";
import { checkFile, findBucket, sizeLimit, tooLarge } from "../buckets/bucket";
import { findCompany, openCompany, refreshCompany } from "../companies/company";
import { Problem } from "../problem";
import {
  bytesFor,
  growReservation,
  keepReservation,
  nameParts,
  RESERVATION_MS,
  releaseNow,
  reserveBytes,
} from "../quotas/reservation";
import type { StorageServices } from "../services";
import { declaredLength, drain, type Incoming, openBody, piecesOf } from "./body";
import { type Checksums, createDigests, readChecksums } from "./checksums";
import { type Change, commitObject } from "./commit";
import { mimeTypeOf } from "./mime-type";
import { findObject } from "./object.store";

const METADATA_BYTES = 8192;
const KEEP_EVERY_MS = 5 * MINUTE_MS;

/** Where an upload goes: a bucket of the token's company, and a path that was read by readPath. */
export type Target = Member & { bucket: string; path: string };

/** The bucket and what stands at the path now. */
export type Place = { bucket: BucketRow; old: ObjectRow | null };

/** The bucket and the object of a target, in one round trip; the first call of a company opens it. 404 `bucket_not_found`. */
export async function findPlace(services: StorageServices, target: Target): Promise<Place> {
  const { companyId, bucket: name, path, person, firstRead } = target;
  const read = () =>
    services.dbOf(companyId).batch({
      company: findCompany({ companyId }),
      bucket: findBucket({ companyId, name }),
      old: findObject({ companyId, bucket: name, name: path }),
    });
  let found = await firstRead(read());
  if (found.company.first === null) {
    await openCompany(services, companyId, person);
    found = await read();
  }
  refreshCompany(services, found.company.first);
  const bucket = found.bucket.first;
  if (bucket === null) throw new Problem("bucket_not_found");
  return { bucket, old: found.old.first };
}

/** What an upload may find at its path: nothing unless it replaces, and what If-Match and If-None-Match (RFC 9110 13.1) allow. */
export function replacing(headers: Headers, isUpsert: boolean): (old: ObjectRow | null) => void {
  const [ifMatch, ifNoneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
  return (old) => {
    if (old !== null && !isUpsert) throw new Problem("resource_already_exists");
    const tag = old === null ? null : `"${old.etag}"`;
    if (ifMatch !== null && (tag === null || !isUnchanged(ifMatch, tag))) throw new Problem("precondition_failed");
    if (ifNoneMatch !== null && tag !== null && isUnchanged(ifNoneMatch, tag)) throw new Problem("precondition_failed");
  };
}

/** Whether an upload that becomes an object later may replace one then: not with `If-None-Match: *`, which holds until then. */
export const mayReplaceLater = (headers: Headers, isUpsert: boolean): boolean =>
  isUpsert && !tagsOf(headers.get("if-none-match") ?? "").includes("*");

/** The user's own keys: `x-metadata`, or the field `metadata` of a form; a JSON object or its base64, at most 8 KB. */
export function readMetadata(text: string | null, field = "x-metadata"): Record<string, unknown> | null {
  if (text === null || text === "") return null;
  const value = text.length <= 2 * METADATA_BYTES ? (parseObject(text) ?? parseObject(fromBase64(text))) : null;
  if (value === null || utf8ToBytes(JSON.stringify(value)).length > METADATA_BYTES)
    throw invalid({ [field]: ["invalid"] });
  return value;
}

function parseObject(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // No JSON: the other spelling is tried, or it is refused.
    return null;
  }
}

function fromBase64(text: string): string | null {
  try {
    return bytesToUtf8(base64ToBytes(text));
  } catch {
    return null;
  }
}

/** An upload that is done: the version that stands, and whether the same call had made it before. */
export type Uploaded = { object: ObjectRow; isReplay: boolean };

/**
 * Stores the body of a request as an object: judged, reserved, stored, committed, in this order. A body that was begun is read for
 * a while when it is refused: a client that still sends when the connection closes loses the answer.
 */
export async function uploadObject(
  services: StorageServices,
  request: Request,
  target: Target,
  isUpsert: boolean,
): Promise<Uploaded> {
  const { clock } = services;
  const { person } = target;
  const { headers } = request;
  const uploadKey = await uploadKeyOf(headers, person.userId);
  const { bucket, old } = await findPlace(services, target);
  if (old !== null && uploadKey !== null && old.upload_key === uploadKey && clock.now() - old.updated_at < DAY_MS) {
    await request.body?.cancel();
    return { object: old, isReplay: true };
  }
  const mayReplace = replacing(headers, isUpsert);
  mayReplace(old);
  const incoming = await openBody(request);
  try {
    return await storeIncoming(services, request, { target, bucket, old, mayReplace, uploadKey, incoming });
  } catch (error) {
    if (incoming.length === null) await drain(incoming.chunks, request);
    throw error;
  }
}

type Begun = Place & {
  target: Target;
  mayReplace: ReturnType<typeof replacing>;
  uploadKey: string | null;
  incoming: Incoming;
};

async function storeIncoming(
  services: StorageServices,
  request: Request,
  { target, bucket, old, mayReplace, uploadKey, incoming }: Begun,
): Promise<Uploaded> {
  const { settings } = services;
  const { path, person } = target;
  const { headers } = request;
  const { fields, length } = incoming;
  const { maxBytes, maxSingleBytes } = settings.uploads;
  const mimeType = mimeTypeOf(incoming.contentType, path);
  checkFile(bucket, { mimeType, size: length }, maxBytes);
  const mayBe = (size: number) => checkSize(size, { limit: sizeLimit(bucket, maxBytes), maxSingleBytes });
  if (length !== null) mayBe(length);
  const cacheControl = readCacheControl(fields.cacheControl ?? headers.get("cache-control"));
  const contentEncoding = readContentEncoding(fields.contentEncoding ?? headers.get("content-encoding"));
  const metadata =
    fields.metadata === undefined ? readMetadata(headers.get("x-metadata")) : readMetadata(fields.metadata, "metadata");
  const checksums = readChecksums(headers);
  const id = uuid();
  const blobKey = `${target.companyId}/${bucket.id}/${id}`;
  const upload = { id, blobKey, companyId: target.companyId, userId: person.userId, old, checksums };
  const stored =
    length === null
      ? await storePieces(services, incoming, { ...upload, mayBe, told: declaredLength(request) })
      : await storeWhole(services, request, { ...upload, size: length });
  const change: Change = {
    ...{ id, bucket, person, path, mimeType, cacheControl, contentEncoding, metadata, blobKey, uploadKey },
    ...{ size: stored.size, etag: stored.etag, sha256: checksums.sha256 },
  };
  const object = await commitObject(services, change, old, mayReplace);
  return { object, isReplay: object.change_id !== id };
}

/** 413 `payload_too_large` above the limit of an object, with `use_multipart` above that of one request. */
function checkSize(size: number, { limit, maxSingleBytes }: { limit: number; maxSingleBytes: number }): void {
  if (size > limit) throw tooLarge(limit);
  if (size <= maxSingleBytes) return;
  const message = `One request carries at most ${maxSingleBytes} bytes: upload in parts.`;
  throw new Problem("payload_too_large", { message, extra: { use_multipart: true } });
}

type Upload = {
  id: string;
  blobKey: string;
  companyId: number;
  userId: number;
  old: ObjectRow | null;
  checksums: Checksums;
};

/** Streams a body of a told length to R2, whose MD5 is its ETag. */
async function storeWhole(services: StorageServices, { body }: Request, upload: Upload & { size: number }) {
  const { size, checksums } = upload;
  await reserveFor(services, upload, bytesFor(size, upload.userId, upload.old));
  if (size === 0 || body === null) return putBytes(services, upload, new Uint8Array());
  const pipe = new FixedLengthStream(size);
  const stop = new AbortController();
  const piped = body.pipeTo(pipe.writable, { signal: stop.signal, preventCancel: true }).then(
    () => null,
    (cause: unknown) => cause,
  );
  const keeper = setInterval(() => services.waitUntil(keepReservation(services, upload)), KEEP_EVERY_MS);
  try {
    const stored = await services.objects.put(upload.blobKey, pipe.readable, digestOption(checksums));
    if (checksums.md5 !== null && stored.etag !== checksums.md5) throw new Problem("checksum_mismatch");
    return { size, etag: stored.etag };
  } catch (error) {
    const isBroken = await isBodyBroken(body, error, piped);
    stop.abort();
    throw await failed(
      services,
      upload,
      isBroken ? new Problem("incomplete_body", { cause: error }) : storeFault(error),
    );
  } finally {
    clearInterval(keeper);
  }
}

/** Whether the store has failed (`failure`) because of the body, which was too short, too long or cut; `piped` ends with its fault. */
async function isBodyBroken(body: ReadableStream, failure: unknown, piped: Promise<unknown>): Promise<boolean> {
  const isOfLength = (cause: unknown) => cause instanceof Error && cause.message.includes("FixedLengthStream");
  if (isOfLength(failure)) return true;
  // R2's own errors end with their code.
  if (failure instanceof Error && /\(\d{5}\)$/.test(failure.message)) return false;
  // A body that is broken has ended its pipe by now; one that nobody reads any more never does.
  const ended = await Promise.race([piped, nextTurn("open")]);
  if (ended === "open" || ended === null) return false;
  const isCut = body.getReader().closed.then(
    () => false,
    () => true,
  );
  return isOfLength(ended) || Promise.race([isCut, nextTurn(false)]);
}

const nextTurn = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value)));

/** Stores a body of unknown length: what fits one piece at once, more in parts, each reserved before it is stored. */
async function storePieces(
  services: StorageServices,
  incoming: Incoming,
  upload: Upload & { mayBe: (size: number) => void; told: number | null },
) {
  const { userId, old, mayBe, told, checksums } = upload;
  const pieces = piecesOf(incoming.chunks, told ?? undefined);
  const first = (await pieces.next()).value as { bytes: Uint8Array; isLast: boolean };
  let size = first.bytes.length;
  mayBe(size);
  let held = bytesFor(size, userId, old);
  // What is known to come, a form's own few bytes in it.
  const all = bytesFor(first.isLast ? size : Math.max(size, told ?? 0), userId, old);
  await reserveFor(services, upload, held, all);
  if (first.isLast) return putBytes(services, upload, first.bytes);
  let parts: R2MultipartUpload | undefined;
  const keeper = setInterval(() => services.waitUntil(keepReservation(services, upload)), KEEP_EVERY_MS);
  try {
    parts = await services.objects.createMultipartUpload(upload.blobKey);
    await services.dbOf(upload.companyId).run(nameParts({ id: upload.id, r2UploadId: parts.uploadId }));
    const digests = createDigests(checksums);
    await digests.add(first.bytes);
    const stored = [await parts.uploadPart(1, first.bytes)];
    // By hand: a loop that is left would close the body, whose rest is still to be taken.
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const { bytes } = next.value;
      size += bytes.length;
      mayBe(size);
      const wanted = bytesFor(size, userId, old);
      await growReservation(
        services,
        {
          ...{ id: upload.id, companyId: upload.companyId, userId, r2UploadId: parts.uploadId },
          companyBytes: wanted.companyBytes - held.companyBytes,
          userBytes: wanted.userBytes - held.userBytes,
          expiresAt: services.clock.now() + RESERVATION_MS,
        },
        held,
        {
          companyBytes: Math.max(wanted.companyBytes, all.companyBytes) - held.companyBytes,
          userBytes: Math.max(wanted.userBytes, all.userBytes) - held.userBytes,
        },
      );
      held = wanted;
      await digests.add(bytes);
      stored.push(await parts.uploadPart(stored.length + 1, bytes));
    }
    if (!(await digests.areRight())) throw new Problem("checksum_mismatch");
    const { etag } = await parts.complete(stored);
    return { size, etag: /-\d+$/.test(etag) ? etag : `${etag}-${stored.length}` };
  } catch (error) {
    // R2 itself ends after seven days what cannot be ended now.
    await parts?.abort().catch(() => services.log.warn("parts of an upload not removed"));
    throw await failed(services, upload, storeFault(error));
  } finally {
    clearInterval(keeper);
  }
}

/** Stores bytes that are at hand. */
async function putBytes(services: StorageServices, upload: Upload, bytes: Uint8Array) {
  const { blobKey, checksums } = upload;
  try {
    const { etag } = await services.objects.put(blobKey, bytes, digestOption(checksums));
    if (checksums.md5 !== null && etag !== checksums.md5) throw new Problem("checksum_mismatch");
    return { size: bytes.length, etag };
  } catch (error) {
    throw await failed(services, upload, storeFault(error));
  }
}

/** R2 compares one checksum of a body itself; its MD5 is the ETag, so the other one is left to it. */
const digestOption = ({ md5, sha256 }: Checksums): R2PutOptions =>
  sha256 !== null ? { sha256 } : md5 !== null ? { md5 } : {};

/** What a failed store is told as: a refusal of ours as it is, a wrong digest, else 502 `storage_error`. */
function storeFault(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : "";
  const isDigest = /MD5|SHA-256|checksum|digest/i.test(message);
  return new Problem(isDigest ? "checksum_mismatch" : "storage_error", { cause: error });
}

/** Frees what an upload has reserved and answers why it failed. */
async function failed(services: StorageServices, { companyId, id }: Upload, problem: Problem): Promise<Problem> {
  await releaseNow(services, companyId, id);
  return problem;
}

async function reserveFor(
  services: StorageServices,
  { id, companyId, userId, blobKey }: Upload,
  bytes: ReturnType<typeof bytesFor>,
  asked = bytes,
): Promise<void> {
  const expiresAt = services.clock.now() + RESERVATION_MS;
  await reserveBytes(services, { id, companyId, userId, ...bytes, blobKey, r2UploadId: null, expiresAt }, { asked });
}

/** What an upload with an Idempotency-Key (1 to 128 characters) is found again by; 400 otherwise. */
async function uploadKeyOf(headers: Headers, userId: number): Promise<string | null> {
  const key = headers.get("idempotency-key");
  if (key === null) return null;
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) throw invalid({ "idempotency-key": ["invalid"] });
  return (await sha256Hex(`${userId}:${key}`)).slice(0, 32);
}

/** `max-age=` of a number of seconds, as forms of clients give it, or the text as it is; at most 200 characters. */
export function readCacheControl(text: string | null | undefined, field = "cache-control"): string | null {
  const said = text?.trim() ?? "";
  if (said === "") return null;
  if (!/^[\x20-\x7e]{1,200}$/.test(said)) throw invalid({ [field]: ["invalid"] });
  return /^\d{1,10}$/.test(said) ? `max-age=${said}` : said;
}

/** Names of codings (RFC 9110 8.4), at most 100 characters: the bytes are stored and served as they came. */
function readContentEncoding(text: string | null): string | null {
  const said = text?.trim().toLowerCase() ?? "";
  if (said === "" || said === "identity") return null;
  if (said.length > 100 || !/^[a-z0-9-]+(?:\s*,\s*[a-z0-9-]+)*$/.test(said)) {
    throw invalid({ "content-encoding": ["invalid"] });
  }
  return said;
}
