import type { Log } from "../log";
import { Problem } from "../problem";

/** Where files are stored. */
export type FileStore = { objects: R2Bucket; log: Pick<Log, "warn"> };

/** A part as R2 knows it, and its bytes. */
export type StoredPart = { part: number; size: number; etag: string };

/** An upload in parts: the key of its blob, and its id in R2 (empty: it has no parts). */
type InR2 = { blob_key: string; r2_upload_id: string };

/** The upload as R2 has it. */
export const inR2 = ({ objects }: Pick<FileStore, "objects">, { blob_key, r2_upload_id }: InR2) =>
  objects.resumeMultipartUpload(blob_key, r2_upload_id);

/** Opens an upload in R2 and answers its id there; 502 `storage_error`. */
export async function openInR2({ objects }: Pick<FileStore, "objects">, blobKey: string): Promise<string> {
  try {
    return (await objects.createMultipartUpload(blobKey)).uploadId;
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}

/**
 * What a call to R2 has failed of: `unknown`, R2 has no such upload in progress (it is completed, aborted or too old); `parts`,
 * it has other parts than those that were named; `passing`, all else.
 */
export function r2FaultOf(error: unknown): "unknown" | "parts" | "passing" {
  const code = /\((\d{5})\)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (code === "10024") return "unknown";
  return code === "10025" || code === "10048" || code === "10011" ? "parts" : "passing";
}

/** Aborts an upload; what is completed or gone has nothing left, and R2 itself ends others after seven days. */
export async function abortInR2(services: FileStore, upload: InR2): Promise<void> {
  if (upload.r2_upload_id === "") return;
  await inR2(services, upload)
    .abort()
    .catch((error) => {
      if (r2FaultOf(error) === "passing") services.log.warn("parts of an upload not removed");
    });
}

/** The ETag of an object of parts, which ends in their number. */
export const etagOf = (etag: string, parts: number): string => (/-\d+$/.test(etag) ? etag : `${etag}-${parts}`);

/**
 * Makes one blob of the parts and returns its ETag; a repeat finds it made. `parts`: R2 has other parts than these; `unknown`: R2
 * has lost the upload. 502 `storage_error` otherwise.
 */
export async function joinParts(
  services: FileStore,
  upload: InR2 & { part_size: number },
  size: number,
  parts: readonly StoredPart[],
): Promise<{ etag: string } | "parts" | "unknown"> {
  const { objects } = services;
  try {
    if (size === 0) {
      await abortInR2(services, upload);
      return { etag: (await objects.put(upload.blob_key, new Uint8Array(), {})).etag };
    }
    const known = parts.map(({ part, etag }) => ({ partNumber: part, etag }));
    return { etag: etagOf((await inR2(services, upload).complete(known)).etag, parts.length) };
  } catch (cause) {
    const fault = r2FaultOf(cause);
    if (fault === "passing" || size === 0) throw new Problem("storage_error", { cause });
    const made = await findJoined(services, upload, size);
    return made === null ? fault : { etag: etagOf(made.etag, Math.ceil(size / upload.part_size)) };
  }
}

/** The blob of an upload whose parts were joined before; null where they were not. */
export async function findJoined({ objects }: Pick<FileStore, "objects">, upload: InR2, size: number) {
  try {
    const found = await objects.head(upload.blob_key);
    return found?.size === size ? found : null;
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}
