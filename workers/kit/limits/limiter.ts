import type { Rate } from "../settings/setting-types";
import { TimeoutError, withTimeout } from "../timeout";
import { releaseInIsolate, reserveInIsolate } from "./in-isolate";
import { LIMITER_TIMEOUT_MS } from "./limiter-timeout";
import { objectOf, qualifiedKey, scopeOf, withName, withoutName } from "./names";
import type {
  BatchItem,
  BatchItemResult,
  RateLimiter,
  ReleasePart,
  Reserved,
  ReservedEach,
  ReserveRequest,
} from "./rate-limiter";
import type { Counter, Refusal } from "./sliding-window";

/** The object did not respond. It may have counted the call; releasing the reservation undoes that. */
export type LimitUnknown = { ok: "unknown"; reservation: string };

/**
 * The reason why an object did not decide. `scope` is the part of the name before the first colon, which contains no
 * address.
 */
export type LimiterFailure = { scope: string; call: "reserve" | "reserveEach" | "release"; reason: string };

/**
 * A client of the rate limits in Durable Objects. `name` is the counted subject as `<scope>:<id>`: an IP, email
 * address, user, token or company.
 */
export type Limiter = {
  /**
   * Counts a call on all counters or, when one is full, on none. When the object does not respond, counters in this
   * isolate decide.
   */
  reserve(name: string, counters: readonly Counter[]): Promise<Reserved | Refusal>;
  /** Like `reserve`, but returns `unknown` when the object does not respond, so that the caller decides. */
  tryReserve(name: string, counters: readonly Counter[]): Promise<Reserved | Refusal | LimitUnknown>;
  /**
   * Decides each item of a batch in order. Returns `unknown` when the object does not respond, so that the caller
   * decides.
   */
  tryReserveEach(
    name: string,
    shared: readonly Counter[],
    items: readonly BatchItem[],
  ): Promise<({ ok: true } & ReservedEach) | LimitUnknown>;
  /** Releases a reservation, or a part of it. Never throws: a reservation that is not released ends with its window. */
  release(name: string, reservation: string, part?: ReleasePart): Promise<void>;
  /** The number of calls to objects so far. */
  calls(): number;
};

/**
 * Creates a client of the RateLimiter objects. Calls `onFallback` when an object fails or does not respond within 500
 * ms.
 */
export function createLimiter(
  namespace: DurableObjectNamespace<RateLimiter>,
  onFallback: (failure: LimiterFailure) => void,
): Limiter {
  let calls = 0;
  async function callObject<T>(name: string, call: LimiterFailure["call"], send: (stub: Stub) => Promise<T>) {
    calls += 1;
    const result = await callWithTimeout(async () => send(namespace.get(namespace.idFromName(objectOf(name)))));
    if (!result.ok) onFallback({ scope: scopeOf(name), call, reason: result.reason });
    return result;
  }

  async function tryReserve(name: string, counters: readonly Counter[]): Promise<Reserved | Refusal | LimitUnknown> {
    // The client chooses the id, so that it can release a call whose response was lost.
    const reservation = crypto.randomUUID();
    if (counters.length === 0) return { ok: true, reservation, usage: [] };
    const request: ReserveRequest = { counters: withName(name, counters), reservation };
    const result = await callObject(
      name,
      "reserve",
      async (stub): Promise<Reserved | Refusal> => stub.reserve(request),
    );
    return result.ok ? withoutName(result.value) : { ok: "unknown", reservation };
  }

  return {
    calls: () => calls,
    tryReserve,
    reserve: async (name, counters) => {
      const decision = await tryReserve(name, counters);
      return decision.ok === "unknown" ? reserveInIsolate(name, counters, decision.reservation) : decision;
    },
    tryReserveEach: async (name, shared, items) => {
      const reservation = crypto.randomUUID();
      const qualifiedItems = items.map((item) => ({ ...item, counters: withName(name, item.counters) }));
      const request = { shared: withName(name, shared), items: qualifiedItems, reservation };
      const result = await callObject(name, "reserveEach", async (stub): Promise<ReservedEach> => {
        const { results } = await stub.reserveEach(request);
        return { reservation, results: (results as BatchItemResult[]).map(withoutName) };
      });
      return result.ok ? { ok: true, ...result.value } : { ok: "unknown", reservation };
    },
    release: async (name, reservation, part) => {
      releaseInIsolate(reservation, part);
      const keys = part?.keys?.map((key) => qualifiedKey(name, key));
      await callObject(name, "release", async (stub) =>
        stub.release(reservation, part && keys ? { ...part, keys } : part),
      );
    },
  };
}

/**
 * Returns the counter of a rate setting as a list to spread. The list is empty when the rate is off (null, or a limit
 * of 0).
 */
export function toCounters(key: string, rate: Rate | null, cost = 1): Counter[] {
  return rate === null || rate.limit === 0 ? [] : [{ key, limit: rate.limit, windowMs: rate.windowMs, cost }];
}

/** Returns the `Retry-After` of a rejected call: whole seconds until the call would be accepted, at least 1. */
export function toRetryAfterSeconds(refusal: { retryAfterMs: number }): number {
  return Math.max(1, Math.ceil(refusal.retryAfterMs / 1000));
}

type Stub = DurableObjectStub<RateLimiter>;
type CallResult<T> = { ok: true; value: T } | { ok: false; reason: string };

async function callWithTimeout<T>(call: () => Promise<T>): Promise<CallResult<T>> {
  try {
    return { ok: true, value: await withTimeout(call(), LIMITER_TIMEOUT_MS) };
  } catch (error) {
    if (error instanceof TimeoutError) return { ok: false, reason: "timeout" };
    return { ok: false, reason: error instanceof Error ? error.message : "unknown error" };
  }
}
