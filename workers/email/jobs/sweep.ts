import { fingerprintPlatform } from "../rules/sender";
import { settleEndedLease } from "../rules/settlement";
import type { EmailServices, Lane } from "../services";
import { expireStatements, settleMessages } from "../store/deliveries";
import { findSweepWork, SWEEP_SIZE, type SweepRow } from "../store/sweep";
import { ringDoorbell } from "./doorbell";

const LANES: readonly Lane[] = ["auth", "transactional", "bulk"];
/** Passes of one run: what is more than that is found a minute later. */
const MAX_PASSES = 20;

/**
 * Repairs what got lost: ends lives and leases that are over and rings for due messages that nobody came for. One query
 * when there is nothing to do (email details 5.7).
 */
export async function sweepQueue(services: EmailServices): Promise<void> {
  const platformFingerprint = await fingerprintPlatform(services.settings, await services.keys());
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const now = services.clock.now();
    const work = await findSweepWork(services.db, now, platformFingerprint);
    const rows = (kind: SweepRow["kind"]) => work.filter((row) => row.kind === kind);
    const expired = rows("expired");
    const leases = rows("lease");
    if (expired.length > 0) await services.db.batch(expireStatements(services.db, idsOf(expired), now));
    const settlements = leases.map((row) => settleEndedLease(row, now));
    if (settlements.length > 0) await settleMessages(services.db, settlements, [], now);
    const again = new Set(settlements.filter(({ status }) => status === "retrying").map(({ id }) => id));
    // Doorbells ring once a run: a second one would only find the messages claimed.
    const due = pass === 1 ? rows("due") : [];
    for (const lane of LANES) {
      const ids = idsOf([...due, ...leases.filter(({ id }) => again.has(id))].filter((row) => row.lane === lane));
      if (ids.length > 0) await ringDoorbell(services, lane, ids);
    }
    if (work.length > 0) {
      services.log.info("sweep", { expired: expired.length, leases: leases.length, rung: due.length });
    }
    if (expired.length < SWEEP_SIZE && leases.length < SWEEP_SIZE) return;
  }
}

function idsOf(rows: readonly SweepRow[]): string[] {
  return rows.map(({ id }) => id);
}
