import { FOLDED_AFTER_MS } from "../../../../db/email/conditions/messages";
import { HOUR_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { isRollUpDue, rollUpBefore } from "./roll-up.store";

/**
 * Rolls up counts when many messages are uncounted or the oldest is an hour old. Waits FOLDED_AFTER_MS because most messages
 * are final by then; open ones are counted as waiting, and their outcome is counted separately.
 */
export async function rollUpCounts({ platformDb, clock }: Pick<EmailServices, "platformDb" | "clock">): Promise<void> {
  const before = clock.now() - FOLDED_AFTER_MS;
  const row = await platformDb.first(isRollUpDue({ before, late: before - HOUR_MS }));
  if (row?.due === true) await rollUpBefore(platformDb, before);
}
