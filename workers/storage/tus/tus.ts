import type { Member } from "../../kit/auth/member";
import { base64ToBytes } from "../../kit/crypto/encoding";
import { chunksOf, declaredLength } from "../../kit/files/body";
import { invalid } from "../../kit/problem";
import { tooLarge } from "../buckets/bucket";
import { readPath } from "../objects/path";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { abortUpload, finishUpload, openUpload } from "../uploads/upload";
import { readCacheControl, readMetadata } from "../uploads/upload-headers";
import { canReplaceLater, loadUploadTarget, preconditionCheck } from "../uploads/upload-target";
import { readResumable } from "./lease";
import { readUploadMetadata } from "./metadata";
import { type Patch, type Received, receive } from "./receive";

/** The supported TUS version and extensions, and the Web Crypto names of the checksum algorithms. */
export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS = "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum";
const algorithms = { md5: "MD5", sha1: "SHA-1", sha256: "SHA-256" } as const;
export const TUS_ALGORITHMS = Object.keys(algorithms).join(",");

/** The media type of upload bytes. */
export const BYTES_TYPE = "application/offset+octet-stream";

/** Creates an upload from the request headers and stores the bytes of the body. Throws the errors of openUpload and receive. */
export async function createUpload(services: StorageServices, member: Member, request: Request): Promise<Received> {
  const { headers } = request;
  const size = readSize(headers);
  const metadataHeader = headers.get("upload-metadata");
  const values = readUploadMetadata(metadataHeader);
  const [bucket, name] = [values.get("bucketName"), values.get("objectName")];
  const missing = [
    ...(bucket === undefined ? [["bucketName", ["required"]] as const] : []),
    ...(name === undefined ? [["objectName", ["required"]] as const] : []),
  ];
  if (bucket === undefined || name === undefined)
    throw invalid(Object.fromEntries(missing.map(([name, codes]) => [name, [...codes]])));
  const target = { ...member, bucket, path: readPath(name, "objectName") };
  const uploadTarget = await loadUploadTarget(services, target);
  const metadata = readMetadata(values.get("metadata") ?? null, "metadata");
  const cacheControl = readCacheControl(values.get("cacheControl"), "cacheControl");
  rejectEntityTags(headers);
  const isUpsert = headers.get("x-upsert")?.toLowerCase() === "true";
  const checkReplacement = preconditionCheck(headers, isUpsert);
  checkReplacement(uploadTarget.old);
  const upload = await openUpload(services, target, uploadTarget, {
    protocol: "tus",
    size,
    mimeType: values.get("contentType") ?? null,
    cacheControl,
    metadata,
    isUpsert: canReplaceLater(headers, isUpsert),
    metadataHeader,
  });
  const isEmpty = request.body === null || mediaTypeOf(headers) !== BYTES_TYPE;
  try {
    if (size === 0) {
      const content = { size, parts: [], old: uploadTarget.old, reserved: null, user: member.user };
      const finished = await finishUpload(services, upload, content, checkReplacement);
      return { upload, offset: 0, finished, isInterrupted: false };
    }
    if (isEmpty) return { upload, offset: 0, finished: null, isInterrupted: false };
    const limit = services.settings.uploads.maxSingleBytes;
    const received = await receive(services, member, upload.id, {
      ...readPatch(request, limit),
      offset: 0,
      size: null,
    });
    if (received.isInterrupted) throw new Problem("incomplete_body");
    return received;
  } catch (error) {
    // The client gets no Location, so it could not resume the upload.
    await abortUpload(services, upload);
    throw error;
  }
}

/**
 * Throws 400 for ETag conditions. Such a condition would have to be checked when the last byte arrives, but the request that
 * sends this byte does not repeat the condition.
 */
function rejectEntityTags(headers: Headers): void {
  if (headers.has("if-match")) throw invalid({ "if-match": ["not_supported"] });
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null && ifNoneMatch.trim() !== "*") throw invalid({ "if-none-match": ["not_supported"] });
}

/** Appends the body of a PATCH. Throws 415 `unsupported_media_type` and the errors of receive. */
export async function patchUpload(
  services: StorageServices,
  member: Member,
  id: string,
  request: Request,
): Promise<Received> {
  const { headers } = request;
  if (mediaTypeOf(headers) !== BYTES_TYPE) throw new Problem("unsupported_media_type");
  const offset = readCount(headers, "upload-offset");
  if (offset === null) throw invalid({ "upload-offset": ["required"] });
  const received = await receive(services, member, id, {
    ...readPatch(request, services.settings.uploads.maxSingleBytes),
    offset,
    size: readCount(headers, "upload-length"),
  });
  if (received.isInterrupted) throw new Problem("incomplete_body");
  return received;
}

/** Aborts an upload. Throws 404 `upload_not_found`, also for a completed upload. */
export async function terminateUpload(services: StorageServices, member: Member, id: string): Promise<void> {
  const upload = await readResumable(services, member, id);
  if (upload.completed_at !== null) throw new Problem("upload_not_found");
  await abortUpload(services, upload);
}

const mediaTypeOf = (headers: Headers) => headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Returns `Upload-Length`, or null with `Upload-Defer-Length: 1`. Throws 400 unless exactly one is present. */
function readSize(headers: Headers): number | null {
  const deferred = headers.get("upload-defer-length");
  if (deferred !== null && deferred !== "1") throw invalid({ "upload-defer-length": ["invalid"] });
  const size = readCount(headers, "upload-length");
  if (size === null && deferred === null) throw invalid({ "upload-length": ["required"] });
  if (size !== null && deferred !== null) throw invalid({ "upload-defer-length": ["invalid"] });
  return size;
}

function readCount(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw invalid({ [name]: ["invalid"] });
  return Number(text);
}

function readPatch(request: Request, limit: number): Omit<Patch, "offset" | "size"> {
  const length = declaredLength(request);
  if (length !== null && length > limit) throw tooLarge(limit);
  return { length, chunks: chunksOf(request), checksum: readChecksum(request.headers.get("upload-checksum")) };
}

function readChecksum(text: string | null): Patch["checksum"] {
  if (text === null) return null;
  const [, name = "", value = ""] = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name as keyof typeof algorithms] : null;
  if (algorithm === null) throw invalid({ "upload-checksum": ["invalid"] });
  try {
    return { algorithm, expected: base64ToBytes(value) };
  } catch {
    // The value is not base64.
    throw invalid({ "upload-checksum": ["invalid"] });
  }
}
