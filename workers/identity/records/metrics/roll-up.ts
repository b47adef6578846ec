import type { Bound } from "../../../kit/db/statement";
import { DAY_MS, MINUTE_MS } from "../../../kit/time";
import type { IdentityServices } from "../../services";
import { advanceRollUp, findRolledUpUntil, isRollUpDue, rollUpCounts } from "./counts.store";

/** A row of the log may come so long after the time it says: tries of a batch take less. */
const LATE_MS = 5 * MINUTE_MS;
/** The log of so long is folded by one batch, and of twice as long behind a part in which nothing was; each hour begins a run. */
const PART_MS = DAY_MS;
/** Batches of one run: an invocation may make 1000 queries, and the purge behind it wants most of them. */
const MAX_PARTS = 40;

/**
 * Adds to the stored counts what the event log says since they were folded last. A batch moves the mark only from where it
 * found it, so that it may be repeated, killed anywhere or run beside another: each row is counted once. False when there
 * is more to fold than one run does.
 */
export async function rollUpLog({ db, clock }: IdentityServices): Promise<boolean> {
  const end = clock.now() - LATE_MS;
  let since = (await db.first(findRolledUpUntil()))?.until ?? end;
  let partMs = PART_MS;
  for (let parts = 0; since < end; parts++) {
    if (parts === MAX_PARTS) return false;
    const until = Math.min(since + partMs, end);
    const { folded, moved } = await db.batch({
      folded: rollUpCounts({ since, until }),
      moved: advanceRollUp({ since, until }),
    });
    partMs = folded.changes > 0 ? PART_MS : 2 * partMs;
    // Another run is at it, or the answer of a batch got lost: the mark says how far it is.
    since = moved.changes > 0 ? until : ((await db.first(findRolledUpUntil()))?.until ?? end);
  }
  return true;
}

/** The read of whether the log is to be folded before the hour is over, since a scrape would have many rows to count. */
export function selectRollUpDue({ clock }: Pick<IdentityServices, "clock">): Bound<{ due: boolean }> {
  return isRollUpDue({ until: clock.now() - LATE_MS });
}
