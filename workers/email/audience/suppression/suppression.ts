import type { SuppressionHit, UnsubscribeHit } from "../../../../db/email/rows";
import type { CatalogEvent } from "../../../../schemas/email/content/catalog";
import type { Lane } from "../../../../schemas/email/delivery/lanes";

/** The reason why an address must not get mail in a lane. */
export type Suppressed = {
  code: "recipient_suppressed" | "unsubscribed";
  /** the reason in the suppression row, or `unsubscribed` for an unsubscribe */
  reason: string;
  lanes: readonly Lane[];
};

/** The suppression and unsubscribe rows of the addresses in a request. Rows may use the hash of either pepper. */
export type SuppressionRows = {
  suppressions: readonly SuppressionHit[];
  unsubscribes: readonly UnsubscribeHit[];
};

/**
 * Returns why mail about the event must not be sent to the address with these hashes, or null if it may be sent. The caller
 * passes only rows that have not expired. In the auth lane, only `hard_bounce` suppresses mail. Unsubscribes do not apply to
 * the auth lane or to security notices. `findBlocked` in delivery/attempts/claim.store.ts applies the same rules in SQL; change
 * both together.
 */
export function findSuppression(
  event: CatalogEvent,
  hashes: readonly string[],
  rows: SuppressionRows,
): Suppressed | null {
  const lane: Lane = event.lane_class;
  for (const row of rows.suppressions) {
    if (!hashes.includes(row.email_hmac)) continue;
    const { lanes } = row;
    const appliesToLane = lane === "auth" ? row.reason === "hard_bounce" : true;
    if (appliesToLane && (lanes.length === 0 || lanes.includes(lane))) {
      return { code: "recipient_suppressed", reason: row.reason, lanes };
    }
  }
  if (lane === "auth") return null;
  const isUnsubscribed = rows.unsubscribes.some((row) => hashes.includes(row.email_hmac) && row.category === lane);
  return isUnsubscribed ? { code: "unsubscribed", reason: "unsubscribed", lanes: [lane] } : null;
}
