import type { BlobRow } from "../../../db/hosting/schema";
import { chunksOf, declaredLength, drain } from "../../kit/files/body";
import { putBytes, putStream } from "../../kit/files/r2-body";
import { Problem as AnyProblem } from "../../kit/problem";
import { MINUTE_MS } from "../../kit/time";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { reclaimBlob, storeBlob, touchBlob } from "./blob.store";
import { TOUCH_MS } from "./clean-up";
import { blobKey } from "./keys";

export { declareBlobs, type FileList, findBlob, findMissing } from "./blob.store";

/**
 * How long after its mark a clean-up may still remove a blob. An upload in this time would be lost, so that the client has to
 * repeat it later.
 */
const REMOVAL_MS = 2 * MINUTE_MS;

/** What the company lacks of a manifest: the hashes and their bytes. */
export type Missing = { missing: string[]; bytes_missing: number };

/** Sums up the missing files of a manifest. */
export const sumMissing = (rows: readonly { sha256: string; size: number }[]): Missing => ({
  missing: rows.map(({ sha256 }) => sha256),
  bytes_missing: rows.reduce((bytes, { size }) => bytes + size, 0),
});

/**
 * Stores the body of a request as a declared blob. R2 compares the hash while the body streams, and keeps nothing of a body with
 * another one. Returns false without reading the body if the blob is stored already. Throws 411 `length_required`, 400
 * `blob_size_mismatch` or `blob_hash_mismatch`, 503 while a clean-up removes the blob, or 502 `storage_error`.
 */
export async function uploadBlob(services: HostingServices, request: Request, blob: BlobRow): Promise<boolean> {
  if (blob.stored_at !== null && blob.removed_at === null) {
    await drain(chunksOf(request), request);
    return false;
  }
  try {
    requireLength(request, blob);
    await claim(services, blob);
  } catch (error) {
    // A client that is still writing may not read the response.
    await drain(chunksOf(request), request);
    throw error;
  }
  await storeBody(services, request, blob);
  const { company_id: companyId, sha256 } = blob;
  const now = services.clock.now();
  const { changes } = await services.dbOf(companyId).run(storeBlob({ companyId, sha256, now }));
  if (changes === 0) throw removalInProgress();
  return true;
}

function requireLength(request: Request, { size }: BlobRow): void {
  const length = declaredLength(request);
  if (length === null) throw new Problem("length_required");
  if (length !== size) throw new Problem("blob_size_mismatch");
}

/** Makes sure that no clean-up removes the blob during its upload. Throws 503 while one does. */
async function claim({ clock, dbOf }: HostingServices, blob: BlobRow): Promise<void> {
  const { company_id: companyId, sha256, removed_at, touched_at } = blob;
  const now = clock.now();
  const key = { companyId, sha256, now };
  if (removed_at !== null) {
    const { changes } = await dbOf(companyId).run(reclaimBlob({ ...key, markedBefore: now - REMOVAL_MS }));
    if (changes === 0) throw removalInProgress();
  } else if (touched_at < now - TOUCH_MS) {
    const { changes } = await dbOf(companyId).run(touchBlob(key));
    if (changes === 0) throw removalInProgress();
  }
}

const removalInProgress = () =>
  new Problem("service_unavailable", { headers: { "retry-after": String((2 * REMOVAL_MS) / 1000) } });

async function storeBody(services: HostingServices, request: Request, blob: BlobRow): Promise<void> {
  const key = blobKey(blob.company_id, blob.sha256);
  const store = { objects: services.files };
  const checksums = { md5: null, sha256: blob.sha256 };
  try {
    if (request.body === null) await putBytes(store, key, new Uint8Array(), checksums);
    else await putStream(store, key, request.body, { size: blob.size, checksums });
  } catch (error) {
    if (error instanceof AnyProblem && error.code === "checksum_mismatch") {
      throw new Problem("blob_hash_mismatch", { cause: error });
    }
    throw error;
  }
}
