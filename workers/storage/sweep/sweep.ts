import type { JobRun } from "../../kit/jobs/job";
import { MINUTE_MS } from "../../kit/time";
import { abandon, listExpired } from "../quotas/reservation";
import type { StorageServices } from "../services";
import { sweepUploads } from "../uploads/sweep";
import { countSweepable as countRows, deleteBlobs, findSweepable, markBlobs } from "./sweep.store";

/** What a run counts, in the order of its summary. */
export const SWEEP_COUNTS = ["reservations", "uploads", "blobs"] as const;

type SweepCounts = Record<(typeof SWEEP_COUNTS)[number], number>;

/** How long a blob without an object is kept: what still streams from it ends first. */
const KEEP_MS = 15 * MINUTE_MS;
const BATCH = 100;
/** Objects that R2 deletes in one call. */
const BLOBS = 1000;

/** Releases expired reservations and uploads, and removes blobs that no object has; what it has no time for, the next run does. */
export async function sweep(services: StorageServices, run: JobRun): Promise<SweepCounts> {
  const { platformDb, clock } = services;
  const counts: SweepCounts = { reservations: 0, uploads: 0, blobs: 0 };
  const found = await platformDb.first(findSweepable({ now: clock.now(), cut: clock.now() - KEEP_MS }));
  const mayGoOn = () => clock.now() < run.stopAt;
  if (found?.uploads) counts.uploads = await repeat(mayGoOn, BATCH, () => sweepUploads(services, clock.now(), BATCH));
  if (found?.reservations) counts.reservations = await repeat(mayGoOn, BATCH, () => releaseSome(services));
  if (found?.blobs) counts.blobs = await repeat(mayGoOn, BLOBS, () => removeSome(services, run.fence));
  return counts;
}

/** Batches until one is not full. */
async function repeat(mayGoOn: () => boolean, size: number, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = size; done === size && mayGoOn(); ) {
    done = await batch();
    total += done;
  }
  return total;
}

async function releaseSome(services: StorageServices): Promise<number> {
  const { platformDb, clock } = services;
  const expired = await platformDb.all(listExpired({ now: clock.now(), limit: BATCH }));
  if (expired.length > 0) await abandon(services, platformDb, expired);
  return expired.length;
}

/** Marked first, then gone from R2, then forgotten: a run that is killed between finds the marked ones again. */
async function removeSome({ platformDb, clock, objects }: StorageServices, fence: number | null): Promise<number> {
  const marked = await platformDb.all(markBlobs({ cut: clock.now() - KEEP_MS, limit: BLOBS, fence }));
  const keys = marked.map(({ key }) => key);
  if (keys.length === 0) return 0;
  await objects.delete(keys);
  await platformDb.run(deleteBlobs({ keys, fence }));
  return keys.length;
}

/** What a run would find; changes nothing. */
export async function countSweepable({ platformDb, clock }: StorageServices): Promise<SweepCounts> {
  const now = clock.now();
  return (await platformDb.first(countRows({ now, cut: now - KEEP_MS }))) ?? { reservations: 0, uploads: 0, blobs: 0 };
}
