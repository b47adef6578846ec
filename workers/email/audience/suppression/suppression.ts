import type { SuppressionHit, UnsubscribeHit } from "../../../../db/email/rows";
import { type CatalogEvent, mayBeLeft } from "../../../../schemas/email/content/catalog";
import type { Lane } from "../../../../schemas/email/delivery/lanes";

/** Why an address gets no mail on a lane. */
export type Suppressed = {
  code: "recipient_suppressed" | "unsubscribed";
  /** reason of the suppression row; `unsubscribed` for an unsubscribe */
  reason: string;
  lanes: readonly Lane[];
};

/** Rows found for the addresses of a request; a list, since an address is looked up by each pepper. */
export type SuppressionFacts = {
  suppressions: readonly SuppressionHit[];
  unsubscribes: readonly UnsubscribeHit[];
};

/**
 * Whether the address with these hashes is suppressed for mail of the event, and why. Rows have not expired. On the auth lane only
 * `hard_bounce` counts and no unsubscribe does, nor does one for a notice about security. The claim judges the same by its statement, of category and lane; see
 * `blockedRows` in delivery/claim.store.ts.
 */
export function findSuppression(
  event: CatalogEvent,
  hashes: readonly string[],
  facts: SuppressionFacts,
): Suppressed | null {
  const lane: Lane = event.lane_class;
  for (const row of facts.suppressions) {
    if (!hashes.includes(row.email_hmac)) continue;
    const { lanes } = row;
    const isHit = lane === "auth" ? row.reason === "hard_bounce" : true;
    if (isHit && (lanes.length === 0 || lanes.includes(lane))) {
      return { code: "recipient_suppressed", reason: row.reason, lanes };
    }
  }
  if (!mayBeLeft(event)) return null;
  const isUnsubscribed = facts.unsubscribes.some((row) => hashes.includes(row.email_hmac) && row.category === lane);
  return isUnsubscribed ? { code: "unsubscribed", reason: "unsubscribed", lanes: [lane] } : null;
}
