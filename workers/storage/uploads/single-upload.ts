import type { ObjectRow } from "../../../db/storage/schema";
import { declaredLength, drain } from "../../kit/files/body";
import { readChecksums } from "../../kit/files/checksums";
import { type Incoming, openBody } from "../../kit/files/form-body";
import { mimeTypeOf } from "../../kit/files/mime-type";
import { uuid } from "../../kit/ids";
import { DAY_MS } from "../../kit/time";
import { checkFile, sizeLimit, tooLarge } from "../buckets/bucket";
import { type Change, commitObject } from "../objects/commit";
import { Problem } from "../problem";
import type { StorageServices } from "../services";
import { storeParts, storeStream } from "./store-body";
import { readCacheControl, readContentEncoding, readMetadata, uploadKeyOf } from "./upload-headers";
import { type LoadedTarget, loadUploadTarget, preconditionCheck, type Target } from "./upload-target";

/** The stored version, and whether an earlier request with the same Idempotency-Key stored it. */
export type Uploaded = { object: ObjectRow; isReplay: boolean };

/**
 * Stores the body of a request as an object. Checks, reserves, stores and commits, in this order. Drains a rejected body for
 * a while, because a client that is still sending when the connection closes would not see the response.
 */
export async function uploadObject(
  services: StorageServices,
  request: Request,
  target: Target,
  isUpsert: boolean,
): Promise<Uploaded> {
  const { clock } = services;
  const { user } = target;
  const { headers } = request;
  const uploadKey = await uploadKeyOf(headers, user.userId);
  const { bucket, old } = await loadUploadTarget(services, target);
  if (old !== null && uploadKey !== null && old.upload_key === uploadKey && clock.now() - old.updated_at < DAY_MS) {
    await request.body?.cancel();
    return { object: old, isReplay: true };
  }
  const checkReplacement = preconditionCheck(headers, isUpsert);
  checkReplacement(old);
  const incoming = await openBody(request);
  try {
    return await storeIncoming(services, request, { target, bucket, old, checkReplacement, uploadKey, incoming });
  } catch (error) {
    // A declared length that is too large is rejected without reading. Otherwise a client that is still sending gets the response
    // only if the body is read.
    const isTooLarge = incoming.length !== null && error instanceof Problem && error.code === "payload_too_large";
    if (!isTooLarge) await drain(incoming.chunks, request);
    throw error;
  }
}

type StartedUpload = LoadedTarget & {
  target: Target;
  checkReplacement: ReturnType<typeof preconditionCheck>;
  uploadKey: string | null;
  incoming: Incoming;
};

async function storeIncoming(
  services: StorageServices,
  request: Request,
  { target, bucket, old, checkReplacement, uploadKey, incoming }: StartedUpload,
): Promise<Uploaded> {
  const { settings } = services;
  const { path, user } = target;
  const { headers } = request;
  const { fields, length } = incoming;
  const { maxBytes, maxSingleBytes } = settings.uploads;
  const mimeType = mimeTypeOf(incoming.contentType, path);
  checkFile(bucket, { mimeType, size: length }, maxBytes);
  const checkUploadSize = (size: number) => checkSize(size, { limit: sizeLimit(bucket, maxBytes), maxSingleBytes });
  if (length !== null) checkUploadSize(length);
  const cacheControl = readCacheControl(fields.cacheControl ?? headers.get("cache-control"));
  const contentEncoding = readContentEncoding(fields.contentEncoding ?? headers.get("content-encoding"));
  const metadata =
    fields.metadata === undefined ? readMetadata(headers.get("x-metadata")) : readMetadata(fields.metadata, "metadata");
  const checksums = readChecksums(headers);
  const id = uuid();
  const blobKey = `${target.companyId}/${bucket.id}/${id}`;
  const upload = { id, blobKey, companyId: target.companyId, userId: user.userId, old, checksums };
  const stored =
    length === null
      ? await storeParts(services, incoming, { ...upload, checkUploadSize, declaredLength: declaredLength(request) })
      : await storeStream(services, request, { ...upload, size: length });
  const change: Change = {
    id,
    bucket,
    user,
    path,
    mimeType,
    cacheControl,
    contentEncoding,
    metadata,
    blobKey,
    uploadKey,
    size: stored.size,
    etag: stored.etag,
    sha256: checksums.sha256,
  };
  const object = await commitObject(services, change, old, checkReplacement);
  return { object, isReplay: object.change_id !== id };
}

/**
 * Throws 413 `payload_too_large` for a size above the limit of an object. For a smaller size above the limit of one request,
 * throws the same error with `use_multipart`.
 */
function checkSize(size: number, { limit, maxSingleBytes }: { limit: number; maxSingleBytes: number }): void {
  if (size > limit) throw tooLarge(limit);
  if (size <= maxSingleBytes) return;
  const message = `One request carries at most ${maxSingleBytes} bytes: upload in parts.`;
  throw new Problem("payload_too_large", { message, extra: { use_multipart: true } });
}
