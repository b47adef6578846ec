import type { JobRun } from "../../kit/jobs/job";
import { MINUTE_MS } from "../../kit/time";
import { sendQuotaNotices } from "../quotas/quota-notice";
import { endExpiredReservations, listExpired } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { sweepUploads } from "../uploads/sweep";
import { countSweepable as countRows, deleteBlobs, findSweepable, markBlobs } from "./sweep.store";

/** The counts of a run, in the order of its summary. */
export const SWEEP_COUNTS = ["reservations", "uploads", "blobs"] as const;

type SweepCounts = Record<(typeof SWEEP_COUNTS)[number], number>;

/** How long an unreferenced blob is kept, so that running downloads can finish. */
const UNREFERENCED_BLOB_MS = 15 * MINUTE_MS;
const BATCH_SIZE = 100;
/** Maximum number of objects that R2 deletes in one call. */
const MAX_BLOBS_PER_CALL = 1000;

/**
 * Tells owners of quotas that are almost used up, releases expired reservations and uploads, and removes unreferenced blobs. When time runs out, the next run does the rest.
 */
export async function sweep(services: StorageServices, run: JobRun): Promise<SweepCounts> {
  const { platformDb, clock } = services;
  const counts: SweepCounts = { reservations: 0, uploads: 0, blobs: 0 };
  const sweepable = await platformDb.first(
    findSweepable({ now: clock.now(), cutoff: clock.now() - UNREFERENCED_BLOB_MS }),
  );
  if (sweepable?.notices) await sendQuotaNotices(services);
  const hasTime = () => clock.now() < run.stopAt;
  if (sweepable?.uploads)
    counts.uploads = await repeat(hasTime, BATCH_SIZE, () => sweepUploads(services, clock.now(), BATCH_SIZE));
  if (sweepable?.reservations)
    counts.reservations = await repeat(hasTime, BATCH_SIZE, () => releaseExpiredBatch(services));
  if (sweepable?.blobs)
    counts.blobs = await repeat(hasTime, MAX_BLOBS_PER_CALL, () => removeBlobBatch(services, run.fence));
  return counts;
}

/** Runs batches until one is not full or time runs out. Returns the total. */
async function repeat(hasTime: () => boolean, size: number, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = size; done === size && hasTime(); ) {
    done = await batch();
    total += done;
  }
  return total;
}

async function releaseExpiredBatch(services: StorageServices): Promise<number> {
  const { platformDb, clock } = services;
  const expired = await platformDb.all(listExpired({ now: clock.now(), limit: BATCH_SIZE }));
  if (expired.length > 0) await endExpiredReservations(services, platformDb, expired);
  return expired.length;
}

/** Marks blobs, deletes them from R2, then deletes their rows. After a crash the next run finds the marked blobs again. */
async function removeBlobBatch({ platformDb, clock, objects }: StorageServices, fence: number | null): Promise<number> {
  const marked = await platformDb.all(
    markBlobs({ cutoff: clock.now() - UNREFERENCED_BLOB_MS, limit: MAX_BLOBS_PER_CALL, fence }),
  );
  const keys = marked.map(({ key }) => key);
  if (keys.length === 0) return 0;
  await objects.delete(keys);
  await platformDb.run(deleteBlobs({ keys, fence }));
  return keys.length;
}

/** Returns what a run would sweep. Changes nothing. */
export async function countSweepable({ platformDb, clock }: StorageServices): Promise<SweepCounts> {
  const now = clock.now();
  return (
    (await platformDb.first(countRows({ now, cutoff: now - UNREFERENCED_BLOB_MS }))) ?? {
      reservations: 0,
      uploads: 0,
      blobs: 0,
    }
  );
}
