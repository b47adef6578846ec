import { utf8ToBytes } from "../../kit/crypto/encoding";
import type { Scope } from "../sender/sender";

/**
 * One attempt in the decision trace of a message (email details 3.9). `at` is ISO; `move`: the next one moves; `reason`:
 * why the other sender made it. A wait for a breaker is an entry too, with the outcome `postponed`.
 */
export type DeliveryEntry = {
  at: string;
  attempt: number;
  provider: "api" | "smtp" | null;
  scope: Scope | null;
  outcome: string;
  wait_seconds: number | null;
  move?: true;
  reason?: string;
  detail?: string;
};

/** The outcome of a message that waits for its sender and was not attempted. */
export const POSTPONED = "postponed";

const MAX_TRACE_BYTES = 4096;

type Trace = Record<string, unknown> & { delivery: DeliveryEntry[] };

/** The trace of a row; a text that is no object counts as empty, since a trace decides nothing that was accepted. */
export function readTrace(text: string): Trace {
  const trace = parseObject(text);
  const delivery = Array.isArray(trace.delivery) ? (trace.delivery as DeliveryEntry[]) : [];
  return { ...trace, delivery };
}

/** The scope that the message was accepted for; the row's own scope when the trace does not say. */
export function acceptedScope(trace: Trace, rowScope: Scope): Scope {
  const { sender } = trace as { sender?: { scope?: unknown } | null };
  return sender?.scope === "company" || sender?.scope === "platform" ? sender.scope : rowScope;
}

/**
 * The trace with one more attempt, at most 4 KiB: details go first, then the oldest attempts. Of waits without an attempt
 * between only the last is kept, so that a long outage pushes nothing out.
 */
export function appendDelivery(trace: Trace, entry: DeliveryEntry): string {
  const isRepeat = entry.outcome === POSTPONED && trace.delivery.at(-1)?.outcome === POSTPONED;
  let delivery = [...(isRepeat ? trace.delivery.slice(0, -1) : trace.delivery), entry];
  const write = () => JSON.stringify({ ...trace, delivery });
  if (isTooLong(write())) delivery = delivery.map(({ detail: _detail, ...rest }) => rest);
  while (delivery.length > 1 && isTooLong(write())) delivery = delivery.slice(1);
  return write();
}

function isTooLong(text: string): boolean {
  return utf8ToBytes(text).length > MAX_TRACE_BYTES;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
