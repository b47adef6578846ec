import { FOLDED_AFTER_MS } from "../../../../db/email/conditions/messages";
import { HOUR_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { foldBefore, isFoldDue } from "./fold.store";

// By then most messages are final: what is still open is counted as waiting, and its end by itself.

/** Counts messages into the roll-ups when a scrape would have many to count by itself, or the first of them is an hour old. */
export async function foldCounts({ platformDb, clock }: Pick<EmailServices, "platformDb" | "clock">): Promise<void> {
  const before = clock.now() - FOLDED_AFTER_MS;
  const found = await platformDb.first(isFoldDue({ before, late: before - HOUR_MS }));
  if (found?.due === true) await foldBefore(platformDb, before);
}
