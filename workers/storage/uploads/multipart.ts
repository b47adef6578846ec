import type { Member } from "../../kit/auth/member";
import { declaredLength } from "../../kit/files/body";
import { createDigests, readChecksums } from "../../kit/files/checksums";
import { MAX_PART_BYTES, partCountOf } from "../../kit/files/part-size";
import { classifyR2Error, resumeR2Upload, type StoredPart } from "../../kit/files/r2-upload";
import { invalid } from "../../kit/problem";
import { Problem } from "../problem";
import { findReservedBytes } from "../quotas/reservation";
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
import { addPart, deletePart, findPart } from "./upload.store";
import { preconditionCheck } from "./upload-target";

/** An upload with a known size. The multipart API, unlike TUS, has no deferred size. */
export type Multipart = Upload & { size: number };

/** Maximum number of bytes of a part in memory at a time. */
const BUFFER_BYTES = 64 * 1024;

const uploadQuery = ({ clock }: StorageServices, { companyId, user }: Member, id: string) => ({
  id,
  protocol: "multipart" as const,
  companyId,
  userId: user.userId,
  now: clock.now(),
});

/** Returns the upload. Throws 404 `upload_not_found` for null. */
function requireUpload(upload: Upload | null): Multipart {
  if (upload === null || upload.size === null) throw new Problem("upload_not_found");
  return { ...upload, size: upload.size };
}

/** Returns an upload and its stored parts, in one round trip. */
export async function readUpload(services: StorageServices, member: Member, id: string) {
  const { upload, parts } = await member.firstRead(
    services.dbOf(member.companyId).batch({
      upload: findUpload(uploadQuery(services, member, id)),
      parts: listParts({ id }),
    }),
  );
  return { upload: requireUpload(upload.first), parts: parts.rows };
}

/**
 * Streams a part to R2. A part that is sent again replaces the earlier one. `part` is null for an invalid number. Before it
 * reads a byte, throws 404, 400 `validation_failed` or `size_mismatch`, and 413 above the maximum part size. Later throws 400
 * `incomplete_body` or `checksum_mismatch`, 502, and 404 if the upload has ended.
 */
export async function storePart(
  services: StorageServices,
  member: Member,
  { id, part }: { id: string; part: number | null },
  request: Request,
): Promise<StoredPart> {
  const { clock } = services;
  const db = services.dbOf(member.companyId);
  const results = await member.firstRead(
    db.batch({
      upload: findUpload(uploadQuery(services, member, id)),
      part: findPart({ id, part: part ?? 0 }),
    }),
  );
  const upload = requireUpload(results.upload.first);
  if (part === null || upload.completed_at !== null) throw new Problem("upload_not_found");
  const count = partCountOf(upload.size, upload.part_size);
  if (part > count) throw invalid({ part: ["out_of_range"] });
  const size = declaredLength(request);
  if (size === null) throw invalid({ "content-length": ["required"] });
  if (size > MAX_PART_BYTES) throw new Problem("payload_too_large");
  const expectedSize = part < count ? upload.part_size : upload.size - (count - 1) * upload.part_size;
  if (size !== expectedSize || request.body === null)
    throw new Problem("size_mismatch", { extra: { size: expectedSize } });
  const checksums = readChecksums(request.headers);
  if (results.part.first !== null) await db.run(deletePart({ id, part }));
  const { etag } = await stream(services, upload, { part, size, body: request.body, checksums });
  const { changes } = await db.run(addPart({ id, part, size, etag, now: clock.now() }));
  if (changes === 0) throw new Problem("upload_not_found");
  return { part, size, etag };
}

type PartBody = {
  part: number;
  size: number;
  body: ReadableStream<Uint8Array>;
  checksums: ReturnType<typeof readChecksums>;
};

async function stream(services: StorageServices, upload: Multipart, { part, size, body, checksums }: PartBody) {
  const digests = createDigests(checksums);
  const pipe = new FixedLengthStream(size);
  const source = { isShort: false };
  const piping = pipeWithDigests(body, pipe.writable, source, { size, digests });
  try {
    const stored = await resumeR2Upload(services, upload).uploadPart(part, pipe.readable);
    await piping;
    if (!(await digests.isMatching())) throw new Problem("checksum_mismatch");
    return stored;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    if (source.isShort) throw new Problem("incomplete_body", { cause });
    throw new Problem(classifyR2Error(cause) === "unknown" ? "upload_not_found" : "storage_error", { cause });
  }
}

/** Pipes a body to R2. If the body ends early, sets `source.isShort` before the R2 upload fails. Never throws. */
async function pipeWithDigests(
  body: ReadableStream<Uint8Array>,
  to: WritableStream<Uint8Array>,
  source: { isShort: boolean },
  { size, digests }: { size: number; digests: ReturnType<typeof createDigests> },
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  const writer = to.getWriter();
  let isReading = true;
  let receivedBytes = 0;
  let buffer = new Uint8Array(BUFFER_BYTES);
  try {
    for (;;) {
      isReading = true;
      const { done, value } = await reader.read(buffer);
      if (done) break;
      isReading = false;
      receivedBytes += value.length;
      await digests.add(value);
      await writer.write(value);
      // Reuses one buffer, because new buffers would make up most of the memory of a large upload.
      buffer = new Uint8Array(value.buffer);
    }
    if (receivedBytes < size) throw new Error("the body ended early");
    isReading = false;
    await writer.close();
  } catch (error) {
    source.isShort = isReading;
    await Promise.allSettled([writer.abort(error), reader.cancel(error)]);
  }
}

/**
 * Joins the parts into an object. A repeat returns the result of the first call, even if the path has been overwritten since.
 * Throws 404 `upload_not_found`, 409 `upload_incomplete`, 400 `size_mismatch`, and the errors of finishUpload.
 */
export async function completeUpload(
  services: StorageServices,
  member: Member,
  id: string,
  { headers, isUpsert }: { headers: Headers; isUpsert: boolean },
): Promise<{ upload: Multipart; finished: Finished }> {
  const results = await member.firstRead(
    services.dbOf(member.companyId).batch({
      upload: findUpload(uploadQuery(services, member, id)),
      old: findReplaced({ id }),
      reserved: findReservedBytes({ id }),
      parts: listParts({ id }),
    }),
  );
  const upload = requireUpload(results.upload.first);
  const previousResult = resultOf(upload);
  if (previousResult !== null) return { upload, finished: previousResult };
  const parts = results.parts.rows;
  const { size } = upload;
  if (parts.length < partCountOf(size, upload.part_size)) throw incomplete(parts, upload, size);
  if (parts.reduce((sum, part) => sum + part.size, 0) !== size) throw new Problem("size_mismatch");
  const content = { size, parts, old: results.old.first, reserved: results.reserved.first, user: member.user };
  const finished = await finishUpload(
    services,
    upload,
    content,
    preconditionCheck(headers, isUpsert || upload.is_upsert),
  );
  return { upload, finished };
}

/** Aborts an upload. Throws 404 `upload_not_found`, also for a completed upload. */
export async function cancelUpload(services: StorageServices, member: Member, id: string): Promise<void> {
  const lookup = services.dbOf(member.companyId).first(findUpload(uploadQuery(services, member, id)));
  const upload = requireUpload(await member.firstRead(lookup));
  if (upload.completed_at !== null) throw new Problem("upload_not_found");
  await abortUpload(services, upload);
}
