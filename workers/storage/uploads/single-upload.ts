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
import { storePieces, storeWhole } from "./store-body";
import { readCacheControl, readContentEncoding, readMetadata, uploadKeyOf } from "./upload-headers";
import { findPlace, type Place, replacing, type Target } from "./upload-target";

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
    id,
    bucket,
    person,
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
