import type { ObjectRow, UploadRow } from "../../../db/storage/schema";
import { mimeTypeOf } from "../../kit/files/mime-type";
import { partCountOf, partSizeFor } from "../../kit/files/part-size";
import { abortR2Upload, completeR2Upload, createR2Upload, type StoredPart } from "../../kit/files/r2-upload";
import { uuid } from "../../kit/ids";
import type { UserActor } from "../../kit/webhooks/events/event-actor";
import { checkFile, sizeLimit } from "../buckets/bucket";
import { commitObject } from "../objects/commit";
import { Problem } from "../problem";
import { bytesFor, growReservation, RESERVATION_MS, release, reserveBytes, UPLOAD_MS } from "../quotas/reservation";
import type { StorageServices } from "../services";
import {
  addUpload,
  deleteParts,
  deleteUploads,
  dropCommittedParts,
  dropCommittedTail,
  dropTails,
  extendReservationForUpload,
  findState,
  findUpload,
  recordCompletion,
  restartUploads,
} from "./upload.store";
import type { LoadedTarget, Target } from "./upload-target";

export { findReplaced, findState, findUpload, listParts } from "./upload.store";

/*
 * A multipart upload, through the multipart API or TUS. It has one R2 multipart upload, one reservation and one row. The row,
 * the reservation and the change that writes the object have the same id. The process can be killed after each step:
 *
 *   open      1. Reserve for 15 minutes. 2. Open the upload in R2. 3. Insert the row and extend the reservation to 24 hours, in
 *             one batch. If killed before 3, the reservation expires, and R2 drops an upload without parts.
 *   part      1. Delete the row of the part, if there is one. 2. Store the part in R2. 3. Insert the row. If killed before 3,
 *             the part is missing and the client sends it again.
 *   complete  1. Reserve more bytes if the replaced object has shrunk or is gone. 2. Join the parts in R2. 3. Commit object,
 *             quotas, event, end of the reservation, and the result in the row, in one batch. If killed before 3, a repeated
 *             request finds the bytes reserved and the blob joined, and commits it. If killed after 3, it finds the result.
 *   abort     1. Abort the upload in R2. 2. Delete the reservation, the parts and the row, in one batch. If killed before 2, a
 *             repeated request does it, or the sweep when the upload expires.
 *
 * Every blob without an object has a reservation. When the reservation ends, the sweep removes the blob.
 */

/** An upload with its bucket. */
export type Upload = UploadRow & {
  bucket_name: string;
  bucket_kind: "company" | "custom";
  bucket_limit: number | null;
};

/** The parameters of a new upload. `size` is null if its length is deferred. */
export type UploadOptions = {
  protocol: UploadRow["protocol"];
  size: number | null;
  mimeType: string | null;
  cacheControl: string | null;
  metadata: Record<string, unknown> | null;
  isUpsert: boolean;
  metadataHeader: string | null;
};

/** Opens an upload: checks media type and size, then reserves its bytes. Throws 415, 413, 502. */
export async function openUpload(
  services: StorageServices,
  { companyId, user, path }: Target,
  { bucket, old }: LoadedTarget,
  options: UploadOptions,
): Promise<Upload> {
  const { dbOf, clock, settings } = services;
  const { protocol, size, cacheControl, metadata, isUpsert, metadataHeader } = options;
  const { userId } = user;
  const mimeType = mimeTypeOf(options.mimeType, path);
  checkFile(bucket, { mimeType, size }, settings.uploads.maxBytes);
  const id = uuid();
  const now = clock.now();
  const blobKey = `${companyId}/${bucket.id}/${id}`;
  const bytes = bytesFor(size ?? 0, userId, old);
  await reserveBytes(services, {
    id,
    companyId,
    userId,
    ...bytes,
    blobKey,
    r2UploadId: null,
    expiresAt: now + RESERVATION_MS,
  });
  let r2UploadId = "";
  try {
    if (size !== 0) r2UploadId = await createR2Upload(services, blobKey);
    const { upload } = await dbOf(companyId).batch({
      added: addUpload({
        id,
        protocol,
        companyId,
        userId,
        bucketId: bucket.id,
        name: path,
        size,
        mimeType,
        cacheControl,
        metadata,
        partSize: partSizeFor(size ?? sizeLimit(bucket, settings.uploads.maxBytes)),
        isUpsert,
        blobKey,
        r2UploadId,
        metadataHeader,
        now,
        expiresAt: now + UPLOAD_MS,
      }),
      extended: extendReservationForUpload({ id }),
      upload: findUpload({ id, protocol, companyId, userId, now }),
    });
    if (upload.first === null) throw new Problem("bucket_not_found");
    return upload.first;
  } catch (error) {
    await abortUpload(services, { id, company_id: companyId, blob_key: blobKey, r2_upload_id: r2UploadId });
    throw error;
  }
}

/** The result of an upload: the object and the version that it wrote. */
export type Finished = { id: string; etag: string; version: number };

/** Returns the result of a completed upload, else null. */
export function resultOf(upload: Pick<UploadRow, "completed_at" | "object_id" | "object_version" | "etag">) {
  const { completed_at, object_id: id, object_version: version, etag } = upload;
  return completed_at === null || id === null || version === null || etag === null ? null : { id, etag, version };
}

/** The bytes that the reservation of an upload holds. */
export type ReservedBytes = ReturnType<typeof bytesFor>;

/**
 * Extends the reservation of an upload so that `size` bytes can replace `old`. Returns the bytes that it then holds. Throws
 * 413, without changing the upload, if the bytes do not fit the quotas.
 */
export async function reserveMoreFor(
  services: StorageServices,
  upload: Upload,
  size: number,
  { old, reserved }: { old: ObjectRow | null; reserved: ReservedBytes },
): Promise<ReservedBytes> {
  const { id, company_id: companyId, user_id: userId, r2_upload_id: r2UploadId, expires_at: expiresAt } = upload;
  const total = bytesFor(size, userId, old);
  const companyBytes = Math.max(0, total.companyBytes - reserved.companyBytes);
  const userBytes = Math.max(0, total.userBytes - reserved.userBytes);
  if (companyBytes === 0 && userBytes === 0) return reserved;
  await growReservation(services, { id, companyId, userId, r2UploadId, companyBytes, userBytes, expiresAt }, reserved);
  return { companyBytes: reserved.companyBytes + companyBytes, userBytes: reserved.userBytes + userBytes };
}

/** A fully received upload. `old` is the object at the path and `reserved` the reserved bytes, as they were last read. */
export type Content = {
  size: number;
  parts: readonly StoredPart[];
  user: UserActor;
  old: ObjectRow | null;
  /** null if the reservation has expired; the commit then creates another one */
  reserved: ReservedBytes | null;
};

/**
 * Joins the parts and commits the object, or returns the result of an earlier completion. `checkReplacement` checks the current
 * object at the path. If this object has become smaller since the upload was opened, or belongs to another user, reserves
 * more bytes first. Throws 404 `upload_not_found`, 409 `upload_incomplete`, 413, and the errors of commitObject.
 */
export async function finishUpload(
  services: StorageServices,
  upload: Upload,
  { size, parts, old, reserved, user }: Content,
  checkReplacement: (old: ObjectRow | null) => void,
): Promise<Finished> {
  const { id, company_id, bucket_id, name, blob_key } = upload;
  try {
    checkReplacement(old?.change_id === id ? null : old);
    if (reserved !== null) await reserveMoreFor(services, upload, size, { old, reserved });
    const joined = await completeR2Upload(services, upload, size, parts);
    if (joined === "unknown") throw new Problem("upload_not_found");
    if (joined === "parts") throw await restart(services, upload, size);
    const { etag } = joined;
    const object = await commitObject(
      services,
      {
        id,
        user,
        path: name,
        size,
        etag,
        sha256: null,
        mimeType: upload.mime_type,
        blobKey: blob_key,
        bucket: { id: bucket_id, name: upload.bucket_name, kind: upload.bucket_kind, company_id },
        cacheControl: upload.cache_control,
        contentEncoding: null,
        metadata: upload.metadata,
        uploadKey: null,
      },
      old,
      checkReplacement,
      {
        extraStatements: completionStatements(services, upload, size),
        onLost: () => rejectEndedUpload(services, upload),
      },
    );
    return { id: object.id, etag: object.etag, version: object.version };
  } catch (error) {
    // Another request may have completed the upload, or this commit succeeded but the response of D1 was lost.
    const state = await services
      .dbOf(company_id)
      .first(findState({ id }))
      .catch(() => null);
    const result = state === null ? null : resultOf(state);
    if (result !== null) return result;
    if (error instanceof Problem && error.code === "upload_not_found") await abortUpload(services, upload);
    throw error;
  }
}

/** Returns the statements that a multipart upload adds to the commit of its object. */
function completionStatements({ clock }: StorageServices, { id, bucket_id, name }: Upload, size: number) {
  const now = clock.now();
  const objectChange = { bucketId: bucket_id, name, change: id };
  return {
    tail: dropCommittedTail({ ...objectChange, now }),
    parts: dropCommittedParts(objectChange),
    upload: recordCompletion({ ...objectChange, size, now }),
  };
}

/** Throws 404 if an upload was aborted, swept or completed. */
async function rejectEndedUpload({ dbOf }: StorageServices, { company_id, id }: Upload): Promise<void> {
  const state = await dbOf(company_id).first(findState({ id }));
  if (state === null || state.completed_at !== null) throw new Problem("upload_not_found");
}

/**
 * Resets an upload when R2 and the rows disagree about its parts, which happens if the same part is sent twice at the same
 * time. Returns the error to throw.
 */
async function restart({ dbOf, clock }: StorageServices, upload: Upload, size: number): Promise<Problem> {
  const ids = [upload.id];
  await dbOf(upload.company_id).batch({
    tails: dropTails({ ids, now: clock.now() }),
    parts: deleteParts({ ids }),
    uploads: restartUploads({ ids }),
  });
  return upload.protocol === "tus" ? new Problem("upload_offset_mismatch") : incomplete([], upload, size);
}

const MAX_MISSING = 100;

/** Returns the 409 error with the numbers of the first missing parts. */
export function incomplete(
  parts: readonly StoredPart[],
  { part_size }: Pick<UploadRow, "part_size">,
  size: number,
): Problem {
  const present = new Set(parts.map(({ part }) => part));
  const missing: number[] = [];
  for (let part = 1; part <= partCountOf(size, part_size) && missing.length < MAX_MISSING; part++) {
    if (!present.has(part)) missing.push(part);
  }
  return new Problem("upload_incomplete", { extra: { missing } });
}

/** Aborts an upload: removes its parts from R2, releases its reservation and deletes its rows. */
export async function abortUpload(
  services: StorageServices,
  upload: Pick<UploadRow, "id" | "company_id" | "blob_key" | "r2_upload_id">,
): Promise<void> {
  await abortR2Upload(services, upload);
  const ids = [upload.id];
  const now = services.clock.now();
  await services.dbOf(upload.company_id).batch({
    ...release({ ids, now, removeBlobs: true }),
    tails: dropTails({ ids, now }),
    parts: deleteParts({ ids }),
    uploads: deleteUploads({ ids }),
  });
}
