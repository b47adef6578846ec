import { type Counts, everyMinute, type Job, type JobRun } from "../../kit/jobs/job";
import { settleMessages } from "../delivery/delivery.store";
import { expireMessages } from "../delivery/expiry.store";
import { settleEndedLease } from "../delivery/settlement";
import { ringLateErasures } from "../privacy/erasure";
import { fingerprintPlatform } from "../sender/sender";
import type { EmailServices, Lane } from "../services";
import { expiryEvents, settlementEvents } from "../webhooks/event";
import { ringDoorbell } from "./doorbell";
import { type EndedRow, findSweepWork, type SweepRow } from "./sweep.store";

const LANES: readonly Lane[] = ["auth", "transactional", "bulk"];
/** Passes of one run: what is more than that is found a minute later. */
const MAX_PASSES = 20;
const BATCH_SIZE = 500;

/** What the sweep needs of its run. */
type SweepRun = Pick<JobRun, "fence" | "stopAt" | "report">;

/**
 * Repairs what got lost: ends lives and leases that are over and rings for due messages that nobody came for. A pass takes
 * `batchSize` of each kind, a full one is followed by another. One query when there is nothing to do (email details 5.7).
 */
export async function sweepQueue(
  services: EmailServices,
  run: SweepRun = { fence: null, stopAt: Number.POSITIVE_INFINITY, report: () => {} },
  batchSize = BATCH_SIZE,
): Promise<Counts> {
  const { db, clock, log, actions } = services;
  const keys = await services.keys();
  const platformFingerprint = await fingerprintPlatform(services.settings, keys);
  const counts = { expired: 0, released: 0, rung: 0 };
  for (let pass = 1; pass <= MAX_PASSES && clock.now() < run.stopAt; pass++) {
    const now = clock.now();
    const work = await findSweepWork(db, now, platformFingerprint, batchSize);
    const expired = endedOf(work, "expired");
    const leases = endedOf(work, "lease");
    if (expired.length > 0) {
      const events = await expiryEvents(keys, expired, now);
      await expireMessages(actions, idsOf(expired), events, { now, fence: run.fence });
    }
    const settlements = leases.map((row) => ({ ...settleEndedLease(row, now), fence: run.fence }));
    if (settlements.length > 0) {
      const events = await settlementEvents(keys, settlements, new Map(leases.map((row) => [row.id, row])), now);
      await settleMessages(actions, { settlements, pauses: [], events }, now);
    }
    const again = new Set(settlements.filter(({ status }) => status === "retrying").map(({ id }) => id));
    // Doorbells ring once a run: a second one would only find the messages claimed.
    const due = pass === 1 ? work.filter(({ kind }) => kind === "due") : [];
    const rings = [...due, ...leases.filter(({ id }) => again.has(id))];
    for (const lane of LANES) {
      const ids = idsOf(rings.filter((row) => row.lane === lane));
      if (ids.length > 0) await ringDoorbell(services, lane, ids);
    }
    counts.expired += expired.length;
    counts.released += leases.length;
    counts.rung += rings.length;
    run.report(counts);
    if (work.length > 0) {
      log.info("sweep", { expired: expired.length, leases: leases.length, rung: due.length });
    }
    if (expired.length < batchSize && leases.length < batchSize) return counts;
  }
  return counts;
}

/** Each minute: the sweep, and a ring for erasures that are not done (email details 5.7, 8.3, 12.3). */
export const sweepEmailQueue: Job<EmailServices> = {
  name: "sweep_email_queue",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  lockSeconds: 120,
  counts: ["expired", "released", "rung"],
  scheduledFlags: { batch_size: BATCH_SIZE },
  run: async (services, run, flags) => {
    const counts = await sweepQueue(services, run, Number(flags.batch_size));
    await ringLateErasures(services);
    return counts;
  },
  summarize: ({ expired, released, rung }) => `expired=${expired} released=${released} rung=${rung}`,
  preview: async (services, flags) => {
    const { db, clock, settings } = services;
    const platformFingerprint = await fingerprintPlatform(settings, await services.keys());
    const work = await findSweepWork(db, clock.now(), platformFingerprint, Number(flags.batch_size));
    const count = (kind: SweepRow["kind"]) => work.filter((row) => row.kind === kind).length;
    const counts = { expired: count("expired"), released: count("lease"), rung: count("due") };
    const summary = `would expire=${counts.expired} release=${counts.released} ring=${counts.rung}`;
    return { summary, counts };
  },
};

function endedOf(work: readonly SweepRow[], kind: EndedRow["kind"]): EndedRow[] {
  return work.filter((row): row is EndedRow => row.kind === kind);
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
