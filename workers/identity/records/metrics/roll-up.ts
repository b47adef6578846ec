import type { Bound } from "../../../kit/db/statement";
import { DAY_MS, MINUTE_MS } from "../../../kit/time";
import type { IdentityServices } from "../../services";
import { advanceRollUp, findRolledUpUntil, isRollUpDue, rollUpCounts } from "./counts.store";

/** A row may be written this long after its timestamp; retries of a batch take less. */
const LATE_MS = 5 * MINUTE_MS;
/** One batch rolls up this much of the log, and twice as much after each empty range. A run starts each hour. */
const PART_MS = DAY_MS;
/** Maximum batches of a run: an invocation may make 1000 queries, and the purge after it needs most of them. */
const MAX_PARTS = 40;

/**
 * Adds the events since the last roll-up to the stored counts. A batch moves the mark only from the position that it read,
 * so each row is counted once even when batches are repeated, killed or run in parallel. Returns false when more is left
 * than one run can process.
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
    // Another run is active or the result of a batch was lost; the mark shows the progress.
    since = advanced.changes > 0 ? until : ((await db.first(findRolledUpUntil()))?.until ?? end);
  }
  return true;
}

/**
 * Statement: whether the log should be rolled up before the next hourly run, because a scrape would have many rows to count.
 */
export function selectRollUpDue({ clock }: Pick<IdentityServices, "clock">): Bound<{ due: boolean }> {
  return isRollUpDue({ until: clock.now() - LATE_MS });
}
