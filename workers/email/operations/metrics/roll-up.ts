import { ROLL_UP_AFTER_MS } from "../../../../db/email/conditions/messages";
import { HOUR_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { isRollUpDue, rollUpBefore } from "./roll-up.store";

/**
 * Adds messages to the roll-ups when many are not rolled up yet, or when the oldest of them could have been rolled up for an
 * hour. Skips messages younger than ROLL_UP_AFTER_MS, because many of them are not final yet. A message that still waits is
 * rolled up as waiting, and its outcome is counted separately.
 */
export async function rollUpCounts({ platformDb, clock }: Pick<EmailServices, "platformDb" | "clock">): Promise<void> {
  const before = clock.now() - ROLL_UP_AFTER_MS;
  const row = await platformDb.first(isRollUpDue({ before, late: before - HOUR_MS }));
  if (row?.due === true) await rollUpBefore(platformDb, before);
}
