import type { Bound } from "../../../kit/db/statement";
import { DAY_MS, MINUTE_MS } from "../../../kit/time";
import type { IdentityServices } from "../../services";
import { advanceRollUp, findRolledUpUntil, isRollUpDue, rollUpCounts } from "./counts.store";

/** Maximum time between a row's timestamp and its commit. Retries of a batch take less. */
const LATE_MS = 5 * MINUTE_MS;
/** The time range that one batch rolls up. The range doubles after each batch that finds no events. */
const PART_MS = DAY_MS;
/**
 * Maximum number of batches in a run. An invocation may make 1000 queries, and the purge after the roll-up needs most of
 * them.
 */
const MAX_PARTS = 40;

/**
 * Adds the events since the last roll-up to the stored counts. A batch takes effect only if `folded_until` still has the
 * value that the batch starts from. So each row is counted once, even when batches are repeated, killed or run in parallel.
 * Returns false when one run could not roll up everything.
 */
export async function rollUpLog({ db, clock }: IdentityServices): Promise<boolean> {
  const end = clock.now() - LATE_MS;
  let since = (await db.first(findRolledUpUntil()))?.until ?? end;
  let partMs = PART_MS;
  for (let parts = 0; since < end; parts++) {
    if (parts === MAX_PARTS) return false;
    const until = Math.min(since + partMs, end);
    const { counted, advanced } = await db.batch({
      counted: rollUpCounts({ since, until }),
      advanced: advanceRollUp({ since, until }),
    });
    partMs = counted.changes > 0 ? PART_MS : 2 * partMs;
    // A batch that advanced nothing lost a race with another run, or repeated a batch whose response was lost. In both
    // cases the stored `folded_until` shows how far the roll-up is.
    since = advanced.changes > 0 ? until : ((await db.first(findRolledUpUntil()))?.until ?? end);
  }
  return true;
}

/**
 * Returns the statement that selects whether the log should be rolled up before the next hourly run. This is the case
 * when every scrape of the metrics would otherwise have to count many rows.
 */
export function selectRollUpDue({ clock }: Pick<IdentityServices, "clock">): Bound<{ due: boolean }> {
  return isRollUpDue({ until: clock.now() - LATE_MS });
}
