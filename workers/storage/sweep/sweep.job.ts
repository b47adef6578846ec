import { everyMinute, type Job, listCounts } from "../../kit/jobs/job";
import type { StorageServices } from "../services";
import { countSweepable, SWEEP_COUNTS, sweep } from "./sweep";

/** Removes expired reservations, expired uploads and unreferenced blobs. */
export const sweepStorage: Job<StorageServices> = {
  name: "sweep_storage",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  lockSeconds: 120,
  counts: SWEEP_COUNTS,
  scheduledFlags: {},
  run: (services, run) => sweep(services, run),
  summarize: listCounts,
  preview: async (services) => {
    const counts = await countSweepable(services);
    return { summary: `would sweep ${listCounts(counts)}`, counts };
  },
};
