import type { CompanyProviderRow } from "../../../../db/email/rows";
import { ONE_CALL_TRANSPORTS } from "../../../../db/email/transports";
import { HOUR_MS } from "../../../kit/time";
import type { DeliveryEntry } from "../messages/trace";
import type { Sender } from "../sender/sender";

/** Outcomes after which a mail API may have accepted the mail. */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set(["provider_timeout", "provider_unreachable", "delivery_unknown"]);

/** Mail APIs store idempotency keys for 24 hours. The last hour is a reserve for clocks and waits. */
const REPEATABLE_MS = 23 * HOUR_MS;

const isOneCall = (provider: string | null) => ONE_CALL_TRANSPORTS.some((name) => name === provider);

/**
 * Returns whether an attempt by `sender` could deliver bulk mail a second time. Earlier attempts whose outcome is unknown are
 * repeated only by the same mail API with the same credentials, while it still knows the idempotency key. An entry without a
 * provider is that of a lease that ended without a mark: if SMTP sent the mail, the message would have the mark.
 */
export function couldSendTwice(
  delivery: readonly DeliveryEntry[],
  { scope, provider }: Pick<Sender, "scope" | "provider">,
  { providerRow, now }: { providerRow: Pick<CompanyProviderRow, "updated_at"> | null; now: number },
): boolean {
  const unknown = delivery.filter(
    (entry) => UNKNOWN_OUTCOMES.has(entry.outcome) && (entry.provider === null || isOneCall(entry.provider)),
  );
  return unknown.some((entry) => {
    const at = Date.parse(entry.at);
    const isOtherSender = entry.scope !== scope || (entry.provider !== null && entry.provider !== provider);
    const hasChanged = scope === "company" && (providerRow === null || providerRow.updated_at > at);
    const isForgotten = isOneCall(provider) && now - at > REPEATABLE_MS;
    return isOtherSender || hasChanged || isForgotten;
  });
}
