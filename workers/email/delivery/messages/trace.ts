import type { MessageRow } from "../../../../db/email/rows";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import { utf8ToBytes } from "../../../kit/crypto/encoding";
import type { Scope } from "../sender/sender";
import { shownTrace } from "./stored-trace";

/**
 * One attempt in the trace of a message, which says why it was accepted and sent as it was. `at` is ISO; `move`: the next one moves; `reason`:
 * why the other sender made it; `content`: the default one was sent, since the copy was too large. A wait for a breaker is an entry too, with the outcome `postponed`.
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

/** The outcome of a message that waits for its sender and was not attempted. */
export const POSTPONED = "postponed";

/** The outcome of an attempt that the provider refused for its rate. */
export const RATE_LIMITED = "provider_rate_limited";

const MAX_TRACE_BYTES = 4096;

type Trace = MessageRow["trace"] & { delivery: DeliveryEntry[] };

/** The trace of a row, in the form that answers show. */
export function readTrace(stored: MessageRow["trace"]): Trace {
  const trace = shownTrace(stored);
  const delivery = Array.isArray(trace.delivery) ? (trace.delivery as DeliveryEntry[]) : [];
  return { ...trace, delivery };
}

/** The scope that the message was accepted for; the row's own scope when the trace does not say. */
export function acceptedScope(trace: Trace, rowScope: Scope): Scope {
  const { sender } = trace as { sender?: { scope?: unknown } | null };
  return sender?.scope === "company" || sender?.scope === "platform" ? sender.scope : rowScope;
}

/** Whether the platform was asked to send the message, as it is for staff: nothing of the company's comes into it. */
export function isPlatformMail(trace: Trace): boolean {
  const { sender } = trace as { sender?: { reason?: unknown } | null };
  return sender?.reason === "platform_requested";
}

/** How many attempts came to this outcome. */
export function countOutcomes({ delivery }: Trace, outcome: string): number {
  return delivery.filter((entry) => entry.outcome === outcome).length;
}

/** The last attempt, when nobody knows whether its mail was taken; else null. */
export function lastUnknown({ delivery }: Trace): DeliveryEntry | null {
  const last = delivery.at(-1);
  return last?.outcome === "delivery_unknown" ? last : null;
}

/**
 * The trace with one more attempt, at most 4 KiB: details go first, then the oldest attempts. Of waits without an attempt
 * between only the last is kept, so that a long outage pushes nothing out.
 */
export function appendDelivery(trace: Trace, entry: DeliveryEntry): Trace {
  const isRepeat = entry.outcome === POSTPONED && trace.delivery.at(-1)?.outcome === POSTPONED;
  let delivery = [...(isRepeat ? trace.delivery.slice(0, -1) : trace.delivery), entry];
  const isTooLong = () => utf8ToBytes(JSON.stringify({ ...trace, delivery })).length > MAX_TRACE_BYTES;
  if (isTooLong()) delivery = delivery.map(({ detail: _detail, ...rest }) => rest);
  while (delivery.length > 1 && isTooLong()) delivery = delivery.slice(1);
  return { ...trace, delivery };
}
