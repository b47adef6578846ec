import { Problem } from "../problem";
import { type Checksums, createDigests } from "./checksums";
import { etagOf, type FileStore } from "./r2-upload";

/** A body stored in R2: its size in bytes, and the ETag without quotes. */
export type StoredBody = { size: number; etag: string };

/**
 * Streams a body of `size` bytes to R2, which returns its MD5 as the ETag. Throws 400 `incomplete_body`, 400
 * `checksum_mismatch` or 502 `storage_error`.
 */
export async function putStream(
  { objects }: Pick<FileStore, "objects">,
  key: string,
  body: ReadableStream,
  { size, checksums }: { size: number; checksums: Checksums },
): Promise<StoredBody> {
  const pipe = new FixedLengthStream(size);
  const pipeAbort = new AbortController();
  const pipeError = body.pipeTo(pipe.writable, { signal: pipeAbort.signal, preventCancel: true }).then(
    () => null,
    (cause: unknown) => cause,
  );
  try {
    const stored = await objects.put(key, pipe.readable, digestOption(checksums));
    return requireMd5({ size, etag: stored.etag }, checksums);
  } catch (error) {
    const isBroken = await isBodyBroken(body, error, pipeError);
    pipeAbort.abort();
    throw isBroken ? new Problem("incomplete_body", { cause: error }) : toUploadProblem(error);
  }
}

/**
 * Stores bytes from memory, and their media type if one is given. Throws 400 `checksum_mismatch` or 502
 * `storage_error`.
 */
export async function putBytes(
  { objects }: Pick<FileStore, "objects">,
  key: string,
  bytes: Uint8Array,
  checksums: Checksums,
  contentType?: string,
): Promise<StoredBody> {
  try {
    const metadata = contentType === undefined ? {} : { httpMetadata: { contentType } };
    const { etag } = await objects.put(key, bytes, { ...digestOption(checksums), ...metadata });
    return requireMd5({ size: bytes.length, etag }, checksums);
  } catch (error) {
    throw toUploadProblem(error);
  }
}

/** Callbacks during the upload. An error that they throw aborts it. */
type Steps = {
  /** called before the first part is stored, with R2's id of the upload */
  onOpened: (r2UploadId: string) => Promise<void>;
  /** called before each further part is stored, with the number of bytes received so far */
  beforePart: (size: number, r2UploadId: string) => Promise<void>;
};

/**
 * Stores `first` and the following parts of one blob. Throws 400 `checksum_mismatch`, 502 `storage_error`
 * or the error of a callback, after removing the parts.
 */
export async function putParts(
  { objects, log }: FileStore,
  key: string,
  first: Uint8Array,
  parts: AsyncIterator<{ bytes: Uint8Array }>,
  { checksums, onOpened, beforePart }: Steps & { checksums: Checksums },
): Promise<StoredBody> {
  let upload: R2MultipartUpload | undefined;
  try {
    upload = await objects.createMultipartUpload(key);
    await onOpened(upload.uploadId);
    const digests = createDigests(checksums);
    await digests.add(first);
    const stored = [await upload.uploadPart(1, first)];
    let size = first.length;
    // Leaving a `for await` loop would close the body, which the caller may still read.
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const { bytes } = next.value;
      size += bytes.length;
      await beforePart(size, upload.uploadId);
      await digests.add(bytes);
      stored.push(await upload.uploadPart(stored.length + 1, bytes));
    }
    if (!(await digests.isMatching())) throw new Problem("checksum_mismatch");
    const { etag } = await upload.complete(stored);
    return { size, etag: etagOf(etag, stored.length) };
  } catch (error) {
    // R2 aborts an incomplete upload itself after seven days.
    await upload?.abort().catch(() => log.warn("the parts of an upload were not removed"));
    throw toUploadProblem(error);
  }
}

function requireMd5(stored: StoredBody, { md5 }: Checksums): StoredBody {
  if (md5 !== null && stored.etag !== md5) throw new Problem("checksum_mismatch");
  return stored;
}

/**
 * Returns whether the upload failed because the body was too short, too long or cut off. `pipeError` resolves to the
 * error of the pipe.
 */
async function isBodyBroken(body: ReadableStream, failure: unknown, pipeError: Promise<unknown>): Promise<boolean> {
  const isLengthError = (cause: unknown) => cause instanceof Error && cause.message.includes("FixedLengthStream");
  if (isLengthError(failure)) return true;
  // R2's own errors end with a numeric code.
  if (failure instanceof Error && /\(\d{5}\)$/.test(failure.message)) return false;
  // The pipe of a broken body has ended by now. When R2 stopped reading, the pipe is still open.
  const pipeResult = await Promise.race([pipeError, inNextTask("open")]);
  if (pipeResult === "open" || pipeResult === null) return false;
  const isAborted = body.getReader().closed.then(
    () => false,
    () => true,
  );
  return isLengthError(pipeResult) || Promise.race([isAborted, inNextTask(false)]);
}

const inNextTask = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value)));

/**
 * Returns the checksum that R2 should verify. R2 verifies only one checksum of a body. The SHA-256 takes precedence, because
 * the caller can compare the MD5 with the ETag that R2 returns.
 */
const digestOption = ({ md5, sha256 }: Checksums): R2PutOptions =>
  sha256 !== null ? { sha256 } : md5 !== null ? { md5 } : {};

/**
 * Converts the error of a failed upload: returns a Problem unchanged, 400 `checksum_mismatch` for a wrong digest, and
 * 502 `storage_error` for anything else.
 */
function toUploadProblem(error: unknown): Problem<string> {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : "";
  const isChecksumError = /MD5|SHA-256|checksum|digest/i.test(message);
  return new Problem(isChecksumError ? "checksum_mismatch" : "storage_error", { cause: error });
}
