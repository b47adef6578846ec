import type { ObjectRow } from "../../../db/storage/schema";
import { bytesToHex } from "../../kit/crypto/encoding";
import { openDigest } from "../../kit/files/checksums";
import { partCountOf } from "../../kit/files/part-size";
import { findJoined, inR2, r2FaultOf, type StoredPart } from "../../kit/files/r2-upload";
import { uuid } from "../../kit/ids";
import type { Member } from "../access/member";
import { sizeLimit } from "../buckets/bucket";
import { Problem } from "../problem";
import { findHeld } from "../quotas/reservation";
import type { StorageServices } from "../services";
import {
  abortUpload,
  type Finished,
  findReplaced,
  findState,
  finishUpload,
  type Held,
  holdFor,
  listParts,
  type Upload,
} from "../uploads/upload";
import { replacing } from "../uploads/upload-target";
import { keepLease, type Lease, takeLease } from "./lease";
import { addHeldParts, advanceUpload, announceTail, freeTail, holdTail, renewLock, unlockUpload } from "./tus.store";

/*
 * What a PATCH does, in an order in which it may be killed anywhere and be sent again from the offset that HEAD tells:
 *
 *   1 lease: one PATCH at a time; it ends by itself
 *   2 the tail of before and the bytes that come fill a piece, which is all that is held in memory
 *   3 a piece that is full and not the last: R2 part, then its row and the new offset without a tail (one batch)
 *     killed between: the offset is that of before, its tail is still there, and the part is sent again over this one
 *   4 at the end of the body, or where it is cut: the key of a new tail as a blob without reference (which the sweeper removes
 *     unless 5 comes), then the tail itself
 *   5 the upload names the new tail and has the new offset, the blob of the tail before loses its reference (one batch); only
 *     then the tail before is deleted
 *   6 the last piece, whatever its size: R2 part and its row, then as a completion. The offset is moved to the size by the commit
 *     of the object alone, so that whoever reads it there has an object: killed before, the last piece is sent again
 *
 * Bytes with a checksum move the offset only when all have come and the checksum is right.
 */

/** What a PATCH brings. `size` is told by it; `length` is null where its body has no told length. */
export type Patch = {
  offset: number;
  size: number | null;
  length: number | null;
  chunks: AsyncIterable<Uint8Array>;
  checksum: { algorithm: "MD5" | "SHA-1" | "SHA-256"; expected: Uint8Array } | null;
};

/** Where an upload is then; `finished` once it is an object. `isCut`: the body ended early, what came of it is kept. */
export type Received = { upload: Upload; offset: number; finished: Finished | null; isCut: boolean };

/** Adds the bytes of a PATCH. 404, 409, 423; 400 `size_mismatch`, 413; 460 `checksum_mismatch`; 502, and as finishUpload. */
export async function receive(services: StorageServices, member: Member, id: string, patch: Patch): Promise<Received> {
  const { upload, lease, finished, old, held } = await takeLease(services, member, id, patch.offset);
  if (finished !== null) return { upload, offset: upload.received, finished, isCut: false };
  try {
    // The lease is the first thing read, beside the live check of the token: a member whose access has ended gives it back.
    await member.firstRead(Promise.resolve());
    if (upload.size !== null && patch.size !== null && upload.size !== patch.size) throw new Problem("size_mismatch");
    return await take({ services, member, upload, lease, old, held, size: upload.size ?? patch.size }, patch);
  } finally {
    // One that cannot be let go of ends by itself.
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
  held: Held;
  size: number | null;
};

async function take(session: Session, patch: Patch): Promise<Received> {
  const { services, upload, lease, size } = session;
  const { part_size: partSize } = upload;
  const { offset, checksum } = patch;
  const limit = sizeLimit({ file_size_limit: upload.bucket_limit }, services.settings.uploads.maxBytes);
  // A size that is told late was not judged when the upload was opened.
  if (size !== null && size > limit) throw new Problem("payload_too_large");
  const room = (size ?? limit) - offset;
  const tooLarge = () => new Problem(size === null ? "payload_too_large" : "size_mismatch");
  if (room < (patch.length ?? 0)) throw tooLarge();
  if (size !== null) await growTo(session, size);
  const piece = new Uint8Array(Math.min(partSize, upload.tail_size + Math.min(patch.length ?? partSize, room)));
  let filled = await readTail(session, piece);
  let part = (offset - upload.tail_size) / partSize + 1;
  let recorded = offset;
  let [seen, isCut, isJoined] = [0, false, false];
  const digest = checksum === null ? null : openDigest(checksum.algorithm);
  const unrecorded: StoredPart[] = [];

  /** Stores the piece as the next part; its row waits for `record`. */
  const storePiece = async () => {
    await keepLease(services, lease);
    await growTo(session, offset + seen);
    const stored = isJoined ? null : await storePart(session, part, piece.subarray(0, filled));
    if (stored === null) isJoined = true;
    else unrecorded.push(stored);
    part += 1;
    filled = 0;
  };
  /** Moves the offset behind the parts and the tail. */
  const record = async (received: number, tail: Tail | null, isLast: boolean) => {
    if (isJoined) return;
    await advance(session, unrecorded.splice(0), { received, tail, isLast });
    recorded = received;
  };
  const add = async (chunk: Uint8Array) => {
    if (seen + chunk.length > room) throw tooLarge();
    await digest?.add(chunk);
    for (let rest = chunk; rest.length > 0; ) {
      // A full piece is stored when more follows: only then it is known not to be the last.
      if (filled === partSize) {
        await storePiece();
        if (digest === null) await record((part - 1) * partSize, null, false);
      }
      const taken = rest.subarray(0, piece.length - filled);
      if (taken.length === 0) throw new Problem("size_mismatch");
      piece.set(taken, filled);
      filled += taken.length;
      seen += taken.length;
      rest = rest.subarray(taken.length);
    }
    await keepLease(services, lease);
  };

  try {
    for await (const chunk of patch.chunks) await add(chunk);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "incomplete_body" || checksum !== null) throw error;
    isCut = true;
  }
  if (digest !== null && checksum !== null && (await digest.end()) !== bytesToHex(checksum.expected)) {
    throw new Problem("upload_checksum_mismatch");
  }
  if (offset + seen === size) {
    if (filled > 0) await storePiece();
    const finished = await finish(session, size, isJoined ? null : unrecorded);
    return { upload, offset: size, finished, isCut };
  }
  if (filled === partSize) {
    await storePiece();
    await record((part - 1) * partSize, null, true);
  } else if (seen > 0 || (upload.size === null && size !== null)) {
    await growTo(session, offset + seen);
    const tail = filled > 0 && !isJoined ? await storeTail(session, piece.subarray(0, filled)) : null;
    await record(offset + seen, tail, true);
  }
  return { upload, offset: recorded, finished: null, isCut };
}

/** Reserves what an upload comes to whose size is not told yet, before its bytes are stored; 413. */
async function growTo(session: Session, total: number): Promise<void> {
  if (session.upload.size !== null) return;
  session.held = await holdFor(session.services, session.upload, total, session);
}

/** Reads the tail of before into the beginning of the piece; answers its bytes. */
async function readTail({ services, upload }: Session, piece: Uint8Array): Promise<number> {
  if (upload.tail_key === null) return 0;
  let filled = 0;
  try {
    const found = await services.objects.get(upload.tail_key);
    for await (const chunk of found?.body ?? []) {
      piece.set(chunk, filled);
      filled += chunk.length;
    }
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  if (filled !== upload.tail_size) throw new Problem("storage_error");
  return filled;
}

/** Stores a part in R2; null where R2 has joined the parts already, by a call that was killed behind that. */
async function storePart(
  { services, upload, size }: Session,
  part: number,
  bytes: Uint8Array,
): Promise<StoredPart | null> {
  try {
    const { etag } = await inR2(services, upload).uploadPart(part, bytes);
    return { part, size: bytes.length, etag };
  } catch (cause) {
    if (r2FaultOf(cause) !== "unknown") throw new Problem("storage_error", { cause });
    if (size !== null && (await findJoined(services, upload, size)) !== null) return null;
    await abortUpload(services, upload);
    throw new Problem("upload_not_found", { cause });
  }
}

type Tail = { key: string; size: number };

/** Stores the end of what has come, under a key that the sweeper knows before. */
async function storeTail({ services, upload, lease }: Session, bytes: Uint8Array): Promise<Tail> {
  const { dbOf, clock, objects } = services;
  const tail = { key: `${upload.blob_key}.${uuid()}`, size: bytes.length };
  const held = tokenOf(lease);
  const { renewed } = await dbOf(upload.company_id).batch({
    renewed: renewLock({ ...held, until: lease.until }),
    announced: announceTail({ ...held, ...tail, now: clock.now() }),
  });
  if (renewed.changes === 0) throw new Problem("upload_locked");
  try {
    await objects.put(tail.key, bytes);
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
  return tail;
}

/** Rows of stored parts, the tail and the offset, in one batch; the last one of a PATCH lets go of the lease. */
async function advance(
  { services, upload, lease, size }: Session,
  list: readonly StoredPart[],
  { received, tail, isLast }: { received: number; tail: Tail | null; isLast: boolean },
): Promise<void> {
  const { dbOf, clock, objects, log, waitUntil } = services;
  const held = tokenOf(lease);
  const key = tail?.key ?? null;
  const { state } = await dbOf(upload.company_id).batch({
    parts: list.length > 0 ? addHeldParts({ ...held, list }) : null,
    former: upload.tail_key === null ? null : freeTail({ ...held, key, now: clock.now() }),
    tail: key === null ? null : holdTail({ ...held, key }),
    upload: advanceUpload({
      ...held,
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
  const former = upload.tail_key;
  upload.tail_key = key;
  if (former === null || former === key) return;
  waitUntil(objects.delete(former).catch(() => log.warn("a tail is left to the sweeper")));
}

/** Makes the object of an upload whose last byte has come; `last` are parts without rows, null where R2 has joined all. */
async function finish(session: Session, size: number, last: readonly StoredPart[] | null): Promise<Finished> {
  const { services, upload, lease, member } = session;
  const { id } = upload;
  const { parts, old, held } = await services.dbOf(upload.company_id).batch({
    added: last !== null && last.length > 0 ? addHeldParts({ ...tokenOf(lease), list: last }) : null,
    parts: listParts({ id }),
    old: findReplaced({ id }),
    held: findHeld({ id }),
  });
  if (last !== null && parts.rows.length !== partCountOf(size, upload.part_size)) throw new Problem("upload_locked");
  const content = { size, parts: parts.rows, old: old.first, held: held.first, person: member.person };
  return finishUpload(services, upload, content, replacing(new Headers(), upload.is_upsert));
}
