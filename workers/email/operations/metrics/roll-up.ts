import { FOLDED_AFTER_MS } from "../../../../db/email/conditions/messages";
import { HOUR_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { isRollUpDue, rollUpBefore } from "./roll-up.store";

// By then most messages are final: what is still open is counted as waiting, and its end by itself.

/** Counts messages into the roll-ups when a scrape would have many to count by itself, or the first of them is an hour old. */
export async function rollUpCounts({ platformDb, clock }: Pick<EmailServices, "platformDb" | "clock">): Promise<void> {
  const before = clock.now() - FOLDED_AFTER_MS;
  const row = await platformDb.first(isRollUpDue({ before, late: before - HOUR_MS }));
  if (row?.due === true) await rollUpBefore(platformDb, before);
}
