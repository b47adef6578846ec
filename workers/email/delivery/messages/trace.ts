import type { MessageRow } from "../../../../db/email/rows";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import type { Scope } from "../sender/sender";
import { shownTrace } from "./stored-trace";

/**
 * One attempt in the trace of a message. `at` is an ISO 8601 time. `move`: the next attempt uses the other sender. `reason`:
 * why this attempt used the other sender. `content`: the mail used the default content because the custom template was too
 * large. A wait for a breaker is stored as an entry with the outcome `postponed`.
 */
export type DeliveryEntry = {
  at: string;
  attempt: number;
  provider: TransportName | null;
  scope: Scope | null;
  outcome: string;
  wait_seconds: number | null;
  move?: true;
  reason?: string;
  content?: "default";
  detail?: string;
};

/** The outcome of a message that waits for a breaker and was not attempted. */
export const POSTPONED = "postponed";

/** The outcome of an attempt that the provider rate limited. */
export const RATE_LIMITED = "provider_rate_limited";

const MAX_TRACE_BYTES = 4096;

type Trace = MessageRow["trace"] & { delivery: DeliveryEntry[] };

/** Returns a stored trace in the form of API responses, always with `delivery`. */
export function readTrace(stored: MessageRow["trace"]): Trace {
  const trace = shownTrace(stored);
  const delivery = Array.isArray(trace.delivery) ? (trace.delivery as DeliveryEntry[]) : [];
  return { ...trace, delivery };
}

/** Returns the scope chosen at acceptance, or the scope of the row when the trace has none. */
export function acceptedScope(trace: Trace, rowScope: Scope): Scope {
  const { sender } = trace as { sender?: { scope?: unknown } | null };
  return sender?.scope === "company" || sender?.scope === "platform" ? sender.scope : rowScope;
}

/** Returns whether the request chose the platform sender, as for mail to staff. Such mail has no company branding. */
export function isPlatformMail(trace: Trace): boolean {
  const { sender } = trace as { sender?: { reason?: unknown } | null };
  return sender?.reason === "platform_requested";
}

/** Returns the number of attempts with this outcome. */
export function countOutcomes({ delivery }: Trace, outcome: string): number {
  return delivery.filter((entry) => entry.outcome === outcome).length;
}

/** Returns the last attempt if its outcome is unknown, else null. */
export function lastUnknown({ delivery }: Trace): DeliveryEntry | null {
  const last = delivery.at(-1);
  return last?.outcome === "delivery_unknown" ? last : null;
}

/**
 * Returns the trace with one more attempt. A trace above 4 KiB loses its details first, then its oldest attempts. Consecutive
 * waits are stored as one entry, so that a long outage does not push out attempts.
 */
export function appendDelivery(trace: Trace, entry: DeliveryEntry): Trace {
  const isRepeat = entry.outcome === POSTPONED && trace.delivery.at(-1)?.outcome === POSTPONED;
  let delivery = [...(isRepeat ? trace.delivery.slice(0, -1) : trace.delivery), entry];
  const isTooLong = () => utf8ToBytes(JSON.stringify({ ...trace, delivery })).length > MAX_TRACE_BYTES;
  if (isTooLong()) delivery = delivery.map(({ detail: _detail, ...rest }) => rest);
  while (delivery.length > 1 && isTooLong()) delivery = delivery.slice(1);
  return { ...trace, delivery };
}
