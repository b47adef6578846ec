import { messageVersion } from "../../../../schemas/shell/messages.ts";

/** Largest message that is read, in characters of its JSON. */
const MAX_SIZE = 64_000;

/** A message of the platform; null for anything else, for other versions, and for what is too large. Uploads may be larger. */
export function readEnvelope(data: unknown): { type: string; payload: unknown } | null {
  if (typeof data !== "object" || data === null || !("type" in data) || !("v" in data)) return null;
  const { type, v } = data;
  if (typeof type !== "string" || !type.startsWith("PLATFORM_") || v !== messageVersion) return null;
  const payload: unknown = "payload" in data ? data.payload : {};
  if (type === "PLATFORM_STORAGE_REQUEST") return { type, payload };
  try {
    return JSON.stringify(payload ?? {}).length <= MAX_SIZE ? { type, payload } : null;
  } catch {
    // Cycles and big integers are no data of a message.
    return null;
  }
}

/** Lets `limit` through in each `period` (ms) and drops the rest; `isFirst` says that dropping has just begun. */
export function createRateLimit(limit: number, period: number): (now: number) => { pass: boolean; isFirst: boolean } {
  let startedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  let dropping = false;
  return (now) => {
    if (now - startedAt >= period) {
      startedAt = now;
      count = 0;
    }
    count += 1;
    const pass = count <= limit;
    const isFirst = !pass && !dropping;
    if (!pass) dropping = true;
    return { pass, isFirst };
  };
}

/** Calls `run` at most every `period` ms, with the last value there was. */
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
    const isQuiet = waiting === null;
    waiting = { value };
    const delay = last + period - performance.now();
    if (delay <= 0) flush();
    else if (isQuiet) setTimeout(flush, delay);
  };
}
