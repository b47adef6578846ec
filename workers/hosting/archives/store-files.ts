import type { ManifestFile } from "../../../schemas/hosting/manifest";
import { blobKey } from "../files/keys";
import type { HostingServices } from "../services";
import type { ArchiveFile } from "../tar/archive-files";
import { createPool } from "./put-pool";

/** A step stores at most this many files. */
export const FILES_PER_STEP = 500;
/** Smaller files are read into memory and stored this many at once; larger ones are streamed. */
const BUFFERED_BYTES = 1024 * 1024;
const PARALLEL_PUTS = 6;

/** The files of a step: those of the archive, their entries in the manifest by path, and the hashes that are stored. */
type StepInput = {
  companyId: number;
  archive: AsyncIterable<ArchiveFile>;
  fileAt: (path: string) => ManifestFile | null;
  wanted: Set<string>;
  stopAt: number;
};

/**
 * Stores files of an archive in R2 until there are FILES_PER_STEP of them, `stopAt` (unix ms) or the end. Removes their hashes from
 * `wanted` and returns them. R2 compares each hash. Throws an Error when a file cannot be stored.
 */
export async function storeFiles(
  { files, clock }: HostingServices,
  { companyId, archive, fileAt, wanted, stopAt }: StepInput,
): Promise<string[]> {
  const pool = createPool({ places: PARALLEL_PUTS, maxBytes: BUFFERED_BYTES });
  const stored: string[] = [];
  for await (const { path, size, body } of archive) {
    const sha256 = fileAt(path)?.sha256;
    if (sha256 === undefined || !wanted.delete(sha256)) continue;
    const key = blobKey(companyId, sha256);
    if (size <= BUFFERED_BYTES) {
      const bytes = await readInto(await pool.buffer(size), body);
      pool.run(bytes, (file) => files.put(key, file, { sha256 }));
    } else {
      await putStreamed(files, key, { size, body, sha256 });
    }
    stored.push(sha256);
    if (stored.length === FILES_PER_STEP || wanted.size === 0 || clock.now() >= stopAt) break;
  }
  await pool.end();
  return stored;
}

async function readInto<T extends Uint8Array>(bytes: T, body: AsyncIterable<Uint8Array>): Promise<T> {
  let at = 0;
  for await (const part of body) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Streams a file to R2, so that only a chunk of it is in memory. */
async function putStreamed(
  files: R2Bucket,
  key: string,
  { size, body, sha256 }: { size: number; body: AsyncIterable<Uint8Array>; sha256: string },
): Promise<void> {
  const pipe = new FixedLengthStream(size);
  const writer = pipe.writable.getWriter();
  const put = files.put(key, pipe.readable, { sha256 });
  const write = async () => {
    for await (const part of body) await writer.write(part);
    await writer.close();
  };
  // When R2 fails, the write ends with the error of the pipe. The error of R2 says more.
  const written = write().catch(async (error: unknown) => {
    await writer.abort(error).catch(() => undefined);
    throw error;
  });
  written.catch(() => undefined);
  await put;
  await written;
}
