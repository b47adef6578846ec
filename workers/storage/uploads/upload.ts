import type { ObjectRow, UploadRow } from "../../../db/storage/schema";
import { mimeTypeOf } from "../../kit/files/mime-type";
import { partCountOf, partSizeFor } from "../../kit/files/part-size";
import { abortInR2, joinParts, openInR2, type StoredPart } from "../../kit/files/r2-upload";
import { uuid } from "../../kit/ids";
import { checkFile, sizeLimit } from "../buckets/bucket";
import type { Person } from "../companies/company";
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
  findState,
  findUpload,
  keepForUpload,
  noteCompletion,
  restartUploads,
} from "./upload.store";
import type { Place, Target } from "./upload-target";

export { findReplaced, findState, findUpload, listParts } from "./upload.store";

/*
 * An upload in parts, by our own calls or by TUS: one R2 multipart upload, one reservation and one row, all of the same id,
 * which is also the id of the change that its object is written by. The order of effects, each of which may be the last one
 * before everything is killed:
 *
 *   open      1 reserve for 15 minutes  2 open in R2  3 row, and the reservation for 24 hours (one batch)
 *             killed: the reservation ends by itself; R2 forgets an upload without parts
 *   part      1 forget the part's row, if it has one  2 store in R2  3 row
 *             killed: the part is missing and is sent again
 *   complete  1 reserve more, if the object that is replaced has shrunk or gone  2 join in R2
 *             3 commit: object, quotas, event, end of the reservation, result in the row (one batch)
 *             killed between: a repeat finds the bytes reserved and the blob joined, and commits it; killed after: a repeat
 *             finds the result
 *   abort     1 abort in R2  2 end the reservation, the parts and the row (one batch)
 *             killed between: a repeat does the rest, or the sweeper when the time of the upload is over
 *
 * Whatever blob is stored without an object is named by the reservation, whose end hands it to the sweeper.
 */

/** An upload with its bucket. */
export type Upload = UploadRow & {
  bucket_name: string;
  bucket_kind: "company" | "custom";
  bucket_limit: number | null;
};

/** What an upload says of itself. `size` null: not told yet. */
export type Wanted = {
  protocol: UploadRow["protocol"];
  size: number | null;
  mimeType: string | null;
  cacheControl: string | null;
  metadata: Record<string, unknown> | null;
  isUpsert: boolean;
  toldMetadata: string | null;
};

/** Opens an upload at a place that was judged: media type, size, reservation, in this order. 415, 413, 502. */
export async function openUpload(
  services: StorageServices,
  { companyId, person, path }: Target,
  { bucket, old }: Place,
  wanted: Wanted,
): Promise<Upload> {
  const { dbOf, clock, settings } = services;
  const { protocol, size, cacheControl, metadata, isUpsert, toldMetadata } = wanted;
  const { userId } = person;
  const mimeType = mimeTypeOf(wanted.mimeType, path);
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
    if (size !== 0) r2UploadId = await openInR2(services, blobKey);
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
        toldMetadata,
        now,
        expiresAt: now + UPLOAD_MS,
      }),
      kept: keepForUpload({ id }),
      upload: findUpload({ id, protocol, companyId, userId, now }),
    });
    if (upload.first === null) throw new Problem("bucket_not_found");
    return upload.first;
  } catch (error) {
    await abortUpload(services, { id, company_id: companyId, blob_key: blobKey, r2_upload_id: r2UploadId });
    throw error;
  }
}

/** What an upload has become: the object, and the version that it wrote. */
export type Finished = { id: string; etag: string; version: number };

/** The result of an upload that is completed. */
export function resultOf(upload: Pick<UploadRow, "completed_at" | "object_id" | "object_version" | "etag">) {
  const { completed_at, object_id: id, object_version: version, etag } = upload;
  return completed_at === null || id === null || version === null || etag === null ? null : { id, etag, version };
}

/** What the reservation of an upload holds. */
export type Held = ReturnType<typeof bytesFor>;

/**
 * Reserves what so many bytes of an upload cost over `old` beyond what is held, and answers what is held then. 413, which leaves
 * the upload as it is.
 */
export async function holdFor(
  services: StorageServices,
  upload: Upload,
  size: number,
  { old, held }: { old: ObjectRow | null; held: Held },
): Promise<Held> {
  const { id, company_id: companyId, user_id: userId, r2_upload_id: r2UploadId, expires_at: expiresAt } = upload;
  const wanted = bytesFor(size, userId, old);
  const companyBytes = Math.max(0, wanted.companyBytes - held.companyBytes);
  const userBytes = Math.max(0, wanted.userBytes - held.userBytes);
  if (companyBytes === 0 && userBytes === 0) return held;
  await growReservation(services, { id, companyId, userId, r2UploadId, companyBytes, userBytes, expiresAt }, held);
  return { companyBytes: held.companyBytes + companyBytes, userBytes: held.userBytes + userBytes };
}

/** The bytes of an upload that have all come. `old` and `held` are what was at the path, and what was reserved, a moment ago. */
export type Content = {
  size: number;
  parts: readonly StoredPart[];
  person: Person;
  old: ObjectRow | null;
  /** null: the reservation is over, and the commit makes another one */
  held: Held | null;
};

/**
 * Joins the parts and makes them the object, or answers what was made of them before. `mayReplace` judges what stands at the
 * path; where that is less, or another's, than when the upload was opened, more is reserved before. 404 `upload_not_found`, 409
 * `upload_incomplete`, 413, and as commitObject.
 */
export async function finishUpload(
  services: StorageServices,
  upload: Upload,
  { size, parts, old, held, person }: Content,
  mayReplace: (old: ObjectRow | null) => void,
): Promise<Finished> {
  const { id, company_id, bucket_id, name, blob_key } = upload;
  try {
    mayReplace(old?.change_id === id ? null : old);
    if (held !== null) await holdFor(services, upload, size, { old, held });
    const joined = await joinParts(services, upload, size, parts);
    if (joined === "unknown") throw new Problem("upload_not_found");
    if (joined === "parts") throw await restart(services, upload, size);
    const { etag } = joined;
    const object = await commitObject(
      services,
      {
        id,
        person,
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
      mayReplace,
      { beside: completion(services, upload, size), onLost: () => refuseOver(services, upload) },
    );
    return { id: object.id, etag: object.etag, version: object.version };
  } catch (error) {
    // Another call may have completed it, or this one whose answer was lost.
    const state = await services
      .dbOf(company_id)
      .first(findState({ id }))
      .catch(() => null);
    const made = state === null ? null : resultOf(state);
    if (made !== null) return made;
    if (error instanceof Problem && error.code === "upload_not_found") await abortUpload(services, upload);
    throw error;
  }
}

/** What the commit of an upload adds to that of an object. */
function completion({ clock }: StorageServices, { id, bucket_id, name }: Upload, size: number) {
  const now = clock.now();
  const at = { bucketId: bucket_id, name, change: id };
  return {
    tail: dropCommittedTail({ ...at, now }),
    parts: dropCommittedParts(at),
    upload: noteCompletion({ ...at, size, now }),
  };
}

/** 404 where an upload is over: it is aborted, swept or completed. */
async function refuseOver({ dbOf }: StorageServices, { company_id, id }: Upload): Promise<void> {
  const state = await dbOf(company_id).first(findState({ id }));
  if (state === null || state.completed_at !== null) throw new Problem("upload_not_found");
}

/** R2 and the rows disagree about parts, which two calls that sent the same one at once can do: all are sent again. */
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

/** 409 with the numbers of the first parts that are missing. */
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

/** Ends an upload that has made no object: what it has stored is removed, what it has reserved is free. */
export async function abortUpload(
  services: StorageServices,
  upload: Pick<UploadRow, "id" | "company_id" | "blob_key" | "r2_upload_id">,
): Promise<void> {
  await abortInR2(services, upload);
  const ids = [upload.id];
  const now = services.clock.now();
  await services.dbOf(upload.company_id).batch({
    ...release({ ids, now, blobs: true }),
    tails: dropTails({ ids, now }),
    parts: deleteParts({ ids }),
    uploads: deleteUploads({ ids }),
  });
}
