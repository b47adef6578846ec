import { messageVersion } from "../../../../schemas/shell/messages.ts";

/** Maximum size of a message, in characters of its JSON. */
const MAX_SIZE = 64_000;

/**
 * Returns a platform message. Returns null for other data, other versions and messages over the size limit. Storage requests
 * are exempt from the limit, because they contain uploads.
 */
export function readEnvelope(data: unknown): { type: string; payload: unknown } | null {
  if (typeof data !== "object" || data === null || !("type" in data) || !("v" in data)) return null;
  const { type, v } = data;
  if (typeof type !== "string" || !type.startsWith("PLATFORM_") || v !== messageVersion) return null;
  const payload: unknown = "payload" in data ? data.payload : {};
  if (type === "PLATFORM_STORAGE_REQUEST") return { type, payload };
  try {
    return JSON.stringify(payload ?? {}).length <= MAX_SIZE ? { type, payload } : null;
  } catch {
    // Cyclic values and BigInts cannot be serialized.
    return null;
  }
}

/** Returns a rate limiter that passes `limit` calls per `period` (ms). `isFirst` is true for the first dropped call. */
export function createRateLimit(limit: number, period: number): (now: number) => { pass: boolean; isFirst: boolean } {
  let startedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  let isDropping = false;
  return (now) => {
    if (now - startedAt >= period) {
      startedAt = now;
      count = 0;
    }
    count += 1;
    const pass = count <= limit;
    const isFirst = !pass && !isDropping;
    if (!pass) isDropping = true;
    return { pass, isFirst };
  };
}

/** Returns a function that calls `run` at most once per `period` (ms), with the latest value. */
export function createCoalescer<Value>(run: (value: Value) => void, period: number): (value: Value) => void {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: { value: Value } | null = null;
  const flush = () => {
    if (waiting === null) return;
    const { value } = waiting;
    waiting = null;
    last = performance.now();
    run(value);
  };
  return (value) => {
    const isIdle = waiting === null;
    waiting = { value };
    const delay = last + period - performance.now();
    if (delay <= 0) flush();
    else if (isIdle) setTimeout(flush, delay);
  };
}
