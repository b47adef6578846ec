import type { Log } from "../log";
import { Problem } from "../problem";

/** The bucket that holds the files, and the log. */
export type FileStore = { objects: R2Bucket; log: Pick<Log, "warn"> };

/** A part as R2 lists it, with its size in bytes. */
export type StoredPart = { part: number; size: number; etag: string };

/** A multipart upload: the key of its blob and its id in R2. An empty id means that R2 holds no parts. */
type R2Upload = { blob_key: string; r2_upload_id: string };

/** Returns R2's handle for the upload. */
export const resumeR2Upload = ({ objects }: Pick<FileStore, "objects">, { blob_key, r2_upload_id }: R2Upload) =>
  objects.resumeMultipartUpload(blob_key, r2_upload_id);

/** Opens a multipart upload in R2 and returns its R2 id; throws 502 `storage_error`. */
export async function createR2Upload({ objects }: Pick<FileStore, "objects">, blobKey: string): Promise<string> {
  try {
    return (await objects.createMultipartUpload(blobKey)).uploadId;
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}

/**
 * Classifies an error of R2. `unknown`: R2 has no such upload in progress (completed, aborted or expired). `parts`: the
 * listed parts do not match. `transient`: any other error.
 */
export function classifyR2Error(error: unknown): "unknown" | "parts" | "transient" {
  const code = /\((\d{5})\)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (code === "10024") return "unknown";
  return code === "10025" || code === "10048" || code === "10011" ? "parts" : "transient";
}

/**
 * Aborts an upload; logs errors and never throws. A completed or aborted upload has no parts left, and R2 aborts other
 * uploads after seven days.
 */
export async function abortR2Upload(services: FileStore, upload: R2Upload): Promise<void> {
  if (upload.r2_upload_id === "") return;
  await resumeR2Upload(services, upload)
    .abort()
    .catch((error) => {
      if (classifyR2Error(error) === "transient") services.log.warn("the parts of an upload were not removed");
    });
}

/** Returns the ETag of a multipart object: it ends with the number of parts. */
export const etagOf = (etag: string, parts: number): string => (/-\d+$/.test(etag) ? etag : `${etag}-${parts}`);

/**
 * Completes the upload into one blob and returns its ETag. A repeated call finds the completed blob. Returns `parts` when
 * the parts in R2 differ, and `unknown` when R2 has lost the upload. Throws 502 `storage_error` for any other error.
 */
export async function completeR2Upload(
  services: FileStore,
  upload: R2Upload & { part_size: number },
  size: number,
  parts: readonly StoredPart[],
): Promise<{ etag: string } | "parts" | "unknown"> {
  const { objects } = services;
  try {
    if (size === 0) {
      await abortR2Upload(services, upload);
      return { etag: (await objects.put(upload.blob_key, new Uint8Array(), {})).etag };
    }
    const r2Parts = parts.map(({ part, etag }) => ({ partNumber: part, etag }));
    return { etag: etagOf((await resumeR2Upload(services, upload).complete(r2Parts)).etag, parts.length) };
  } catch (cause) {
    const kind = classifyR2Error(cause);
    if (kind === "transient" || size === 0) throw new Problem("storage_error", { cause });
    const completed = await findCompleted(services, upload, size);
    return completed === null ? kind : { etag: etagOf(completed.etag, Math.ceil(size / upload.part_size)) };
  }
}

/** Returns the blob of an upload that was already completed, or null. Throws 502 `storage_error`. */
export async function findCompleted({ objects }: Pick<FileStore, "objects">, upload: R2Upload, size: number) {
  try {
    const object = await objects.head(upload.blob_key);
    return object?.size === size ? object : null;
  } catch (cause) {
    throw new Problem("storage_error", { cause });
  }
}
