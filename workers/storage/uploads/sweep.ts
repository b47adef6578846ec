import type { UploadRow } from "../../../db/storage/schema";
import type { Db } from "../../kit/db/db";
import { abortInR2 } from "../../kit/files/r2-upload";
import { release } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { deleteExpired, deleteParts, dropTails, listExpiredUploads } from "./upload.store";

export { expireUploadsOf } from "./upload.store";

const AT_ONCE = 6;

/** Ends at most `limit` uploads whose time is over at `now`; answers how many. */
export async function sweepUploads(services: StorageServices, now: number, limit: number): Promise<number> {
  const expired = await services.platformDb.all(listExpiredUploads({ now, limit }));
  await endUploads(services, services.platformDb, now, expired);
  return expired.length;
}

type Expired = Pick<UploadRow, "id" | "blob_key" | "r2_upload_id" | "completed_at">;

/**
 * Ends uploads of one database whose time is over at `now`: aborts in R2, then frees what they have reserved, hands their blobs
 * and tails to the sweeper and deletes their rows, in one batch. What is killed before, the sweep does.
 */
export async function endUploads(
  services: StorageServices,
  db: Db,
  now: number,
  expired: readonly Expired[],
): Promise<void> {
  if (expired.length === 0) return;
  const open = expired.filter(({ completed_at }) => completed_at === null);
  for (let start = 0; start < open.length; start += AT_ONCE) {
    await Promise.all(open.slice(start, start + AT_ONCE).map((upload) => abortInR2(services, upload)));
  }
  const ids = expired.map(({ id }) => id);
  await db.batch({
    ...release({ ids, now, blobs: true }),
    tails: dropTails({ ids, now }),
    parts: deleteParts({ ids }),
    uploads: deleteExpired({ ids, now }),
  });
}
