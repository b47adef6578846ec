import { LANES } from "../../../../schemas/email/delivery/lanes";
import type { Counts, JobRun } from "../../../kit/jobs/job";
import { storeExpiries } from "../../delivery/attempts/expiry";
import { settleEndedLease, storeSettlements } from "../../delivery/attempts/settlement";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import { fingerprintPlatform } from "../../delivery/sender/sender";
import type { EmailServices } from "../../services";
import { type DueRow, findSweepWork, type Search, type SweepWork } from "./sweep.store";

/** Maximum number of passes per run. The run of the next minute continues. */
const MAX_PASSES = 20;
/** Default maximum number of expired messages, and of ended leases, in one pass. */
export const BATCH_SIZE = 500;

/** The parts of a job run that the sweep needs. */
type SweepRun = Pick<JobRun, "fence" | "stopAt" | "report">;

const WITHOUT_LOCK: SweepRun = { fence: null, stopAt: Number.POSITIVE_INFINITY, report: () => {} };

/**
 * Recovers lost work: settles expired messages and ended leases, and enqueues due messages again whose queue message was
 * lost. A pass processes up to `batchSize` expired messages and ended leases; a full pass is followed by another one. Takes
 * one round trip when there is nothing to do.
 */
export async function sweepQueue(
  services: EmailServices,
  run: SweepRun = WITHOUT_LOCK,
  batchSize = BATCH_SIZE,
  lanes: Search["lanes"] = "all",
): Promise<Counts> {
  const { platformDb, clock } = services;
  const platformFingerprint = await currentFingerprint(services);
  const counts = { expired: 0, released: 0, rung: 0 };
  for (let pass = 1; pass <= MAX_PASSES && clock.now() < run.stopAt; pass++) {
    const now = clock.now();
    const work = await findSweepWork(platformDb, { lanes, now, platformFingerprint, size: batchSize });
    const { expired, leases } = work;
    await storeExpiries(services, platformDb, expired, { now, fence: run.fence });
    const released = await storeEndedLeases(services, leases, { now, fence: run.fence });
    // Only the first pass enqueues late messages, because a later pass would find the same rows again.
    const due = pass === 1 ? work.due : [];
    const wakeUps = [...due, ...released];
    for (const lane of LANES) {
      const rows = wakeUps.filter((row) => row.lane === lane);
      if (rows.length > 0) await enqueueMessageIds(services, lane, rows);
    }
    counts.expired += expired.length;
    counts.released += leases.length;
    counts.rung += wakeUps.length;
    run.report(counts);
    if (expired.length < batchSize && leases.length < batchSize) return counts;
  }
  return counts;
}

/**
 * Sweeps only the auth lane, without the job lock. This is safe because every statement checks that the message is still
 * expired or still has the ended lease.
 */
export function sweepAuthLane(services: EmailServices): Promise<Counts> {
  return sweepQueue(services, WITHOUT_LOCK, BATCH_SIZE, "auth");
}

/** Returns the counts of one pass without changing anything. */
export async function previewSweep(services: EmailServices, batchSize: number): Promise<Counts> {
  const { platformDb, clock } = services;
  const platformFingerprint = await currentFingerprint(services);
  const sweepInput = { lanes: "all", now: clock.now(), platformFingerprint, size: batchSize } as const;
  const { expired, leases, due } = await findSweepWork(platformDb, sweepInput);
  return { expired: expired.length, released: leases.length, rung: due.length };
}

async function currentFingerprint({ settings, keys }: EmailServices): Promise<string> {
  return fingerprintPlatform(settings, await keys());
}

/** Settles messages whose lease ended without a result. Returns the messages that are retried. */
async function storeEndedLeases(
  services: EmailServices,
  leases: SweepWork["leases"],
  { now, fence }: { now: number; fence: number | null },
): Promise<DueRow[]> {
  if (leases.length === 0) return [];
  const settlements = leases.map((row) => ({ ...settleEndedLease(row, now), fence }));
  const messages = new Map(leases.map((row) => [row.id, row]));
  await storeSettlements(services, services.platformDb, messages, { settlements, pauses: [] }, now);
  const retriedIds = new Set(settlements.filter(({ status }) => status === "retrying").map(({ id }) => id));
  return leases.filter(({ id }) => retriedIds.has(id));
}
