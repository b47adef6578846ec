import type { ObjectRow } from "../../../db/storage/schema";
import type { Member } from "../../kit/auth/member";
import { bytesToHex } from "../../kit/crypto/encoding";
import { openDigest } from "../../kit/files/checksums";
import { partCountOf } from "../../kit/files/part-size";
import { classifyR2Error, findCompleted, resumeR2Upload, type StoredPart } from "../../kit/files/r2-upload";
import { uuid } from "../../kit/ids";
import { sizeLimit } from "../buckets/bucket";
import { Problem } from "../problem";
import { findReservedBytes } from "../quotas/reservation";
import type { StorageServices } from "../services";
import {
  abortUpload,
  type Finished,
  findReplaced,
  findState,
  finishUpload,
  listParts,
  type ReservedBytes,
  reserveMoreFor,
  type Upload,
} from "../uploads/upload";
import { preconditionCheck } from "../uploads/upload-target";
import { acquireLease, type Lease, renewLease } from "./lease";
import {
  addLockedParts,
  advanceUpload,
  freeTail,
  holdTail,
  insertTailBlob,
  renewLock,
  unlockUpload,
} from "./tus.store";

/*
 * The steps of a PATCH. It can be killed after any step; the client then continues from the offset that HEAD returns. A tail is
 * the last bytes that do not fill an R2 part. It is stored as a blob of its own.
 *
 *   1. Take the lease. Only one PATCH at a time holds it, and it expires by itself.
 *   2. Fill a piece with the previous tail and the incoming bytes. Only this piece is held in memory.
 *   3. When a piece is full and not the last, store the R2 part. Then write its row and the new offset, without a tail, in one
 *      batch. If killed in between, the old offset and its tail still exist, and the next PATCH overwrites the part.
 *   4. At the end of the body, or when the body is cut, insert an unreferenced blob row for a new tail. Then store the tail.
 *      The sweep removes it unless step 5 runs.
 *   5. Move the offset, reference the new tail and drop the reference to the previous tail, in one batch. Then delete the
 *      previous tail.
 *   6. For the last piece, which may have any size, store the R2 part and its row. Then complete the upload. Only the commit of
 *      the object moves the offset to the full size, so that the object exists when a client reads this offset. If killed
 *      before the commit, the client sends the piece again.
 *
 * Bytes with a checksum move the offset only after all of them have arrived and the checksum matches.
 */

/** The input of a PATCH. `size` is the Upload-Length that it declares; `length` is null without Content-Length. */
export type Patch = {
  offset: number;
  size: number | null;
  length: number | null;
  chunks: AsyncIterable<Uint8Array>;
  checksum: { algorithm: "MD5" | "SHA-1" | "SHA-256"; expected: Uint8Array } | null;
};

/**
 * The state of an upload after a PATCH. `finished` is set if the upload has become an object. `isInterrupted` is true if the body
 * ended early; its bytes are kept.
 */
export type Received = { upload: Upload; offset: number; finished: Finished | null; isInterrupted: boolean };

/**
 * Appends the bytes of a PATCH. Throws 404, 409, 423, 400 `size_mismatch`, 413, 460 `checksum_mismatch`, 502, and the errors
 * of finishUpload.
 */
export async function receive(services: StorageServices, member: Member, id: string, patch: Patch): Promise<Received> {
  const { upload, lease, finished, old, reserved } = await acquireLease(services, member, id, patch.offset);
  if (finished !== null) return { upload, offset: upload.received, finished, isInterrupted: false };
  try {
    // The lease was acquired before the live check of the token finished. If the member's access has ended, this throws, and
    // `finally` releases the lease.
    await member.firstRead(Promise.resolve());
    if (upload.size !== null && patch.size !== null && upload.size !== patch.size) throw new Problem("size_mismatch");
    return await receiveBody(
      { services, member, upload, lease, old, reserved, size: upload.size ?? patch.size },
      patch,
    );
  } finally {
    // A lease that cannot be released expires by itself.
    await services
      .dbOf(member.companyId)
      .run(unlockUpload(tokenOf(lease)))
      .catch(() => null);
  }
}

const tokenOf = ({ id, token }: Lease) => ({ id, token });

type Session = {
  services: StorageServices;
  member: Member;
  upload: Upload;
  lease: Lease;
  old: ObjectRow | null;
  reserved: ReservedBytes;
  size: number | null;
};

async function receiveBody(session: Session, patch: Patch): Promise<Received> {
  const { services, upload, lease, size } = session;
  const { part_size: partSize } = upload;
  const { offset, checksum } = patch;
  const limit = sizeLimit({ file_size_limit: upload.bucket_limit }, services.settings.uploads.maxBytes);
  // The size of an upload with deferred length was not checked when the upload was created.
  if (size !== null && size > limit) throw new Problem("payload_too_large");
  const remainingBytes = (size ?? limit) - offset;
  const tooLarge = () => new Problem(size === null ? "payload_too_large" : "size_mismatch");
  if (remainingBytes < (patch.length ?? 0)) throw tooLarge();
  if (size !== null) await growTo(session, size);
  const piece = new Uint8Array(
    Math.min(partSize, upload.tail_size + Math.min(patch.length ?? partSize, remainingBytes)),
  );
  let filled = await readTail(session, piece);
  let part = (offset - upload.tail_size) / partSize + 1;
  let recorded = offset;
  let [receivedBytes, isInterrupted, arePartsJoined] = [0, false, false];
  const digest = checksum === null ? null : openDigest(checksum.algorithm);
  const unrecorded: StoredPart[] = [];

  /** Stores the piece as the next part. `record` writes the row of the part. */
  const storePiece = async () => {
    await renewLease(services, lease);
    await growTo(session, offset + receivedBytes);
    const stored = arePartsJoined ? null : await storePart(session, part, piece.subarray(0, filled));
    if (stored === null) arePartsJoined = true;
    else unrecorded.push(stored);
    part += 1;
    filled = 0;
  };
  /** Writes the rows of the stored parts and the tail, and moves the offset to `received`. */
  const record = async (received: number, tail: Tail | null, isLast: boolean) => {
    if (arePartsJoined) return;
    await advance(session, unrecorded.splice(0), { received, tail, isLast });
    recorded = received;
  };
  const addChunk = async (chunk: Uint8Array) => {
    if (receivedBytes + chunk.length > remainingBytes) throw tooLarge();
    await digest?.add(chunk);
    for (let remainder = chunk; remainder.length > 0; ) {
      // A full piece is stored only when more bytes follow. The last piece is stored below, right before `finish`.
      if (filled === partSize) {
        await storePiece();
        if (digest === null) await record((part - 1) * partSize, null, false);
      }
      const copied = remainder.subarray(0, piece.length - filled);
      if (copied.length === 0) throw new Problem("size_mismatch");
      piece.set(copied, filled);
      filled += copied.length;
      receivedBytes += copied.length;
      remainder = remainder.subarray(copied.length);
    }
    await renewLease(services, lease);
  };

  try {
    for await (const chunk of patch.chunks) await addChunk(chunk);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "incomplete_body" || checksum !== null) throw error;
    isInterrupted = true;
  }
  if (digest !== null && checksum !== null && (await digest.end()) !== bytesToHex(checksum.expected)) {
    throw new Problem("upload_checksum_mismatch");
  }
  if (offset + receivedBytes === size) {
    if (filled > 0) await storePiece();
    const finished = await finish(session, size, arePartsJoined ? null : unrecorded);
    return { upload, offset: size, finished, isInterrupted };
  }
  if (filled === partSize) {
    await storePiece();
    await record((part - 1) * partSize, null, true);
  } else if (receivedBytes > 0 || (upload.size === null && size !== null)) {
    await growTo(session, offset + receivedBytes);
    const tail = filled > 0 && !arePartsJoined ? await storeTail(session, piece.subarray(0, filled)) : null;
    await record(offset + receivedBytes, tail, true);
  }
  return { upload, offset: recorded, finished: null, isInterrupted };
}

/** If the length of the upload was deferred, reserves its bytes before they are stored. Throws 413. */
async function growTo(session: Session, total: number): Promise<void> {
  if (session.upload.size !== null) return;
  session.reserved = await reserveMoreFor(session.services, session.upload, total, session);
}

/** Reads the previous tail into the beginning of the piece. Returns its length in bytes. */
async function readTail({ services, upload }: Session, piece: Uint8Array): Promise<number> {
  if (upload.tail_key === null) return 0;
  let filled = 0;
  try {
    const tail = await services.objects.get(upload.tail_key);
    for await (const chunk of tail?.body ?? []) {
      piece.set(chunk, filled);
      filled += chunk.length;
    }
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  if (filled !== upload.tail_size) throw new Problem("storage_error");
  return filled;
}

/** Stores a part in R2. Returns null if an earlier request, which was killed afterwards, has already joined the parts in R2. */
async function storePart(
  { services, upload, size }: Session,
  part: number,
  bytes: Uint8Array,
): Promise<StoredPart | null> {
  try {
    const { etag } = await resumeR2Upload(services, upload).uploadPart(part, bytes);
    return { part, size: bytes.length, etag };
  } catch (cause) {
    if (classifyR2Error(cause) !== "unknown") throw new Problem("storage_error", { cause });
    if (size !== null && (await findCompleted(services, upload, size)) !== null) return null;
    await abortUpload(services, upload);
    throw new Problem("upload_not_found", { cause });
  }
}

type Tail = { key: string; size: number };

/** Inserts the blob row of the tail, so that the sweep can remove the tail, and then stores the tail. */
async function storeTail({ services, upload, lease }: Session, bytes: Uint8Array): Promise<Tail> {
  const { dbOf, clock, objects } = services;
  const tail = { key: `${upload.blob_key}.${uuid()}`, size: bytes.length };
  const lock = tokenOf(lease);
  const { renewed } = await dbOf(upload.company_id).batch({
    renewed: renewLock({ ...lock, until: lease.until }),
    tailBlob: insertTailBlob({ ...lock, ...tail, now: clock.now() }),
  });
  if (renewed.changes === 0) throw new Problem("upload_locked");
  try {
    await objects.put(tail.key, bytes);
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  return tail;
}

/** Writes the rows of parts, the tail and the offset in one batch. The last batch of a PATCH releases the lease. */
async function advance(
  { services, upload, lease, size }: Session,
  list: readonly StoredPart[],
  { received, tail, isLast }: { received: number; tail: Tail | null; isLast: boolean },
): Promise<void> {
  const { dbOf, clock, objects, log, waitUntil } = services;
  const lock = tokenOf(lease);
  const key = tail?.key ?? null;
  const { state } = await dbOf(upload.company_id).batch({
    parts: list.length > 0 ? addLockedParts({ ...lock, list }) : null,
    former: upload.tail_key === null ? null : freeTail({ ...lock, key, now: clock.now() }),
    tail: key === null ? null : holdTail({ ...lock, key }),
    upload: advanceUpload({
      ...lock,
      received,
      tailKey: key,
      tailSize: tail?.size ?? 0,
      size,
      ...(isLast ? { next: null, until: null } : { next: lease.token, until: lease.until }),
    }),
    state: findState({ id: upload.id }),
  });
  if (state.first === null) throw new Problem("upload_not_found");
  if (state.first.received !== received || state.first.tail_key !== key) throw new Problem("upload_locked");
  const previousTailKey = upload.tail_key;
  upload.tail_key = key;
  if (previousTailKey === null || previousTailKey === key) return;
  waitUntil(objects.delete(previousTailKey).catch(() => log.warn("tail not deleted; the sweep removes it")));
}

/**
 * Completes an upload after its last byte. `last` are the parts that have no row yet; it is null if R2 has joined all parts.
 */
async function finish(session: Session, size: number, last: readonly StoredPart[] | null): Promise<Finished> {
  const { services, upload, lease, member } = session;
  const { id } = upload;
  const { parts, old, reserved } = await services.dbOf(upload.company_id).batch({
    added: last !== null && last.length > 0 ? addLockedParts({ ...tokenOf(lease), list: last }) : null,
    parts: listParts({ id }),
    old: findReplaced({ id }),
    reserved: findReservedBytes({ id }),
  });
  if (last !== null && parts.rows.length !== partCountOf(size, upload.part_size)) throw new Problem("upload_locked");
  const content = { size, parts: parts.rows, old: old.first, reserved: reserved.first, user: member.user };
  return finishUpload(services, upload, content, preconditionCheck(new Headers(), upload.is_upsert));
}
