import { declaredLength } from "../../kit/files/body";
import { createDigests, readChecksums } from "../../kit/files/checksums";
import { MAX_PART_BYTES, partCountOf } from "../../kit/files/part-size";
import { inR2, r2FaultOf, type StoredPart } from "../../kit/files/r2-upload";
import { invalid } from "../../kit/problem";
import type { Member } from "../access/member";
import { Problem } from "../problem";
import { findHeld } from "../quotas/reservation";
import type { StorageServices } from "../services";
import {
  abortUpload,
  type Finished,
  findReplaced,
  findUpload,
  finishUpload,
  incomplete,
  listParts,
  resultOf,
  type Upload,
} from "./upload";
import { addPart, findPart, forgetPart } from "./upload.store";
import { replacing } from "./upload-target";

/** An upload whose size is told, as those of this protocol all are. */
export type Multipart = Upload & { size: number };

/** Bytes of a part that are in memory at once. */
const PIECE_BYTES = 64 * 1024;

const asked = ({ clock }: StorageServices, { companyId, person }: Member, id: string) => ({
  id,
  protocol: "multipart" as const,
  companyId,
  userId: person.userId,
  now: clock.now(),
});

/** An upload of the person; 404 `upload_not_found`. */
function known(upload: Upload | null): Multipart {
  if (upload === null || upload.size === null) throw new Problem("upload_not_found");
  return { ...upload, size: upload.size };
}

/** An upload and the numbers of its stored parts. One round trip. */
export async function readUpload(services: StorageServices, member: Member, id: string) {
  const { upload, parts } = await member.firstRead(
    services.dbOf(member.companyId).batch({
      upload: findUpload(asked(services, member, id)),
      parts: listParts({ id }),
    }),
  );
  return { upload: known(upload.first), parts: parts.rows };
}

/**
 * Streams a part to R2 (null: the path names none); one that is sent again replaces the one before. 400 `size_mismatch` before
 * a byte is read, 413 above any part, 404; 400 `incomplete_body`, `checksum_mismatch`; 502.
 */
export async function storePart(
  services: StorageServices,
  member: Member,
  { id, part }: { id: string; part: number | null },
  request: Request,
): Promise<StoredPart> {
  const { clock } = services;
  const db = services.dbOf(member.companyId);
  const found = await member.firstRead(
    db.batch({
      upload: findUpload(asked(services, member, id)),
      part: findPart({ id, part: part ?? 0 }),
    }),
  );
  const upload = known(found.upload.first);
  if (part === null || upload.completed_at !== null) throw new Problem("upload_not_found");
  const count = partCountOf(upload.size, upload.part_size);
  if (part > count) throw invalid({ part: ["out_of_range"] });
  const size = declaredLength(request);
  if (size === null) throw invalid({ "content-length": ["required"] });
  if (size > MAX_PART_BYTES) throw new Problem("payload_too_large");
  const wanted = part < count ? upload.part_size : upload.size - (count - 1) * upload.part_size;
  if (size !== wanted || request.body === null) throw new Problem("size_mismatch", { extra: { size: wanted } });
  const checksums = readChecksums(request.headers);
  if (found.part.first !== null) await db.run(forgetPart({ id, part }));
  const { etag } = await stream(services, upload, { part, size, body: request.body, checksums });
  const { changes } = await db.run(addPart({ id, part, size, etag, now: clock.now() }));
  if (changes === 0) throw new Problem("upload_not_found");
  return { part, size, etag };
}

type Streamed = {
  part: number;
  size: number;
  body: ReadableStream<Uint8Array>;
  checksums: ReturnType<typeof readChecksums>;
};

async function stream(services: StorageServices, upload: Multipart, { part, size, body, checksums }: Streamed) {
  const digests = createDigests(checksums);
  const pipe = new FixedLengthStream(size);
  const source = { isShort: false };
  const pumped = pump(body, pipe.writable, source, { size, digests });
  try {
    const stored = await inR2(services, upload).uploadPart(part, pipe.readable);
    await pumped;
    if (!(await digests.isMatching())) throw new Problem("checksum_mismatch");
    return stored;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    if (source.isShort) throw new Problem("incomplete_body", { cause });
    throw new Problem(r2FaultOf(cause) === "unknown" ? "upload_not_found" : "storage_error", { cause });
  }
}

/** Hands the bytes of a body on; one that ends early is known to before the store breaks of it. Never throws. */
async function pump(
  body: ReadableStream<Uint8Array>,
  to: WritableStream<Uint8Array>,
  source: { isShort: boolean },
  { size, digests }: { size: number; digests: ReturnType<typeof createDigests> },
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  const writer = to.getWriter();
  let isReading = true;
  let seen = 0;
  let buffer = new Uint8Array(PIECE_BYTES);
  try {
    for (;;) {
      isReading = true;
      const { done, value } = await reader.read(buffer);
      if (done) break;
      isReading = false;
      seen += value.length;
      await digests.add(value);
      await writer.write(value);
      // One buffer for all: of new ones, garbage would be the most that a large upload holds.
      buffer = new Uint8Array(value.buffer);
    }
    if (seen < size) throw new Error("the body ended early");
    isReading = false;
    await writer.close();
  } catch (error) {
    source.isShort = isReading;
    await Promise.allSettled([writer.abort(error), reader.cancel(error)]);
  }
}

/**
 * Makes the parts an object. A repeat answers what the first one did, whatever stands at the path now. 409 `upload_incomplete`,
 * 400 `size_mismatch`, and as finishUpload.
 */
export async function completeUpload(
  services: StorageServices,
  member: Member,
  id: string,
  { headers, isUpsert }: { headers: Headers; isUpsert: boolean },
): Promise<{ upload: Multipart; finished: Finished }> {
  const found = await member.firstRead(
    services.dbOf(member.companyId).batch({
      upload: findUpload(asked(services, member, id)),
      old: findReplaced({ id }),
      held: findHeld({ id }),
      parts: listParts({ id }),
    }),
  );
  const upload = known(found.upload.first);
  const made = resultOf(upload);
  if (made !== null) return { upload, finished: made };
  const parts = found.parts.rows;
  const { size } = upload;
  if (parts.length < partCountOf(size, upload.part_size)) throw incomplete(parts, upload, size);
  if (parts.reduce((sum, part) => sum + part.size, 0) !== size) throw new Problem("size_mismatch");
  const content = { size, parts, old: found.old.first, held: found.held.first, person: member.person };
  const finished = await finishUpload(services, upload, content, replacing(headers, isUpsert || upload.is_upsert));
  return { upload, finished };
}

/** Gives an upload up; 404 `upload_not_found`, for one that is completed too. */
export async function cancelUpload(services: StorageServices, member: Member, id: string): Promise<void> {
  const found = services.dbOf(member.companyId).first(findUpload(asked(services, member, id)));
  const upload = known(await member.firstRead(found));
  if (upload.completed_at !== null) throw new Problem("upload_not_found");
  await abortUpload(services, upload);
}
