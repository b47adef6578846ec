import { LANES } from "../../../../schemas/email/delivery/lanes";
import type { Counts, JobRun } from "../../../kit/jobs/job";
import { storeExpiries } from "../../delivery/attempts/expiry";
import { settleEndedLease, storeSettlements } from "../../delivery/attempts/settlement";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";
import { type DueRow, findSweepWork, type Search, type SweepWork } from "./sweep.store";

/** Passes of one run: what is more than that is found a minute later. */
const MAX_PASSES = 20;
/** Rows of a kind in one pass, unless the run says otherwise. */
export const BATCH_SIZE = 500;

/** What the sweep needs of its run. */
type SweepRun = Pick<JobRun, "fence" | "stopAt" | "report">;

const WITHOUT_LOCK: SweepRun = { fence: null, stopAt: Number.POSITIVE_INFINITY, report: () => {} };

/**
 * Repairs what got lost: ends lives and leases that are over and rings for due messages that nobody came for. A pass takes
 * `batchSize` of each kind, a full one is followed by another. One round trip when there is nothing to do.
 */
export async function sweepQueue(
  services: EmailServices,
  run: SweepRun = WITHOUT_LOCK,
  batchSize = BATCH_SIZE,
  lanes: Search["lanes"] = "all",
): Promise<Counts> {
  const { platformDb, clock } = services;
  const platformFingerprint = await fingerprintNow(services);
  const counts = { expired: 0, released: 0, rung: 0 };
  for (let pass = 1; pass <= MAX_PASSES && clock.now() < run.stopAt; pass++) {
    const now = clock.now();
    const work = await findSweepWork(platformDb, { lanes, now, platformFingerprint, size: batchSize });
    const { expired, leases } = work;
    await storeExpiries(services, platformDb, expired, { now, fence: run.fence });
    const released = await storeEndedLeases(services, leases, { now, fence: run.fence });
    // Doorbells ring once a run: a second one would only find the messages claimed.
    const due = pass === 1 ? work.due : [];
    const rings = [...due, ...released];
    for (const lane of LANES) {
      const rows = rings.filter((row) => row.lane === lane);
      if (rows.length > 0) await enqueueMessageIds(services, lane, rows);
    }
    counts.expired += expired.length;
    counts.released += leases.length;
    counts.rung += rings.length;
    run.report(counts);
    if (expired.length < batchSize && leases.length < batchSize) return counts;
  }
  return counts;
}

/** A sweep of the auth lane alone that needs no lock: each statement looks at the lease that it ends. */
export function sweepAuthLane(services: EmailServices): Promise<Counts> {
  return sweepQueue(services, WITHOUT_LOCK, BATCH_SIZE, "auth");
}

/** What one pass of a sweep would do now. */
export async function previewSweep(services: EmailServices, batchSize: number): Promise<Counts> {
  const { platformDb, clock } = services;
  const platformFingerprint = await fingerprintNow(services);
  const sweepInput = { lanes: "all", now: clock.now(), platformFingerprint, size: batchSize } as const;
  const { expired, leases, due } = await findSweepWork(platformDb, sweepInput);
  return { expired: expired.length, released: leases.length, rung: due.length };
}

async function fingerprintNow({ settings, keys }: EmailServices): Promise<string> {
  return fingerprintPlatform(settings, await keys());
}

/** Stores what messages come to whose holder never came back; answers those that wait again. */
async function storeEndedLeases(
  services: EmailServices,
  leases: SweepWork["leases"],
  { now, fence }: { now: number; fence: number | null },
): Promise<DueRow[]> {
  if (leases.length === 0) return [];
  const settlements = leases.map((row) => ({ ...settleEndedLease(row, now), fence }));
  const messages = new Map(leases.map((row) => [row.id, row]));
  await storeSettlements(services, services.platformDb, messages, { settlements, pauses: [] }, now);
  const again = new Set(settlements.filter(({ status }) => status === "retrying").map(({ id }) => id));
  return leases.filter(({ id }) => again.has(id));
}
