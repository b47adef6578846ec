import type { UploadRow } from "../../../db/storage/schema";
import type { Db } from "../../kit/db/db";
import { abortR2Upload } from "../../kit/files/r2-upload";
import { release } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { deleteExpired, deleteParts, dropTails, listExpiredUploads } from "./upload.store";

export { expireUploadsOf } from "./upload.store";

const MAX_PARALLEL_ABORTS = 6;

/** Ends at most `limit` uploads that have expired at `now`. Returns the number of ended uploads. */
export async function sweepUploads(services: StorageServices, now: number, limit: number): Promise<number> {
  const expired = await services.platformDb.all(listExpiredUploads({ now, limit }));
  await endUploads(services, services.platformDb, now, expired);
  return expired.length;
}

type Expired = Pick<UploadRow, "id" | "blob_key" | "r2_upload_id" | "completed_at">;

/**
 * Ends expired uploads of one database. First aborts them in R2. Then one batch releases their reservations, hands their
 * blobs and tails to the sweep and deletes their rows. If killed before the batch, the next sweep repeats the steps.
 */
export async function endUploads(
  services: StorageServices,
  db: Db,
  now: number,
  expired: readonly Expired[],
): Promise<void> {
  if (expired.length === 0) return;
  const open = expired.filter(({ completed_at }) => completed_at === null);
  for (let start = 0; start < open.length; start += MAX_PARALLEL_ABORTS) {
    await Promise.all(open.slice(start, start + MAX_PARALLEL_ABORTS).map((upload) => abortR2Upload(services, upload)));
  }
  const ids = expired.map(({ id }) => id);
  await db.batch({
    ...release({ ids, now, removeBlobs: true }),
    tails: dropTails({ ids, now }),
    parts: deleteParts({ ids }),
    uploads: deleteExpired({ ids, now }),
  });
}
