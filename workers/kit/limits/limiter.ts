import { clock } from "../clock";
import type { Rate } from "../setting-types";
import { TimeoutError, withTimeout } from "../timeout";
import type {
  BatchItem,
  BatchItemResult,
  RateLimiter,
  ReleasePart,
  Reserved,
  ReservedEach,
  ReserveRequest,
} from "./rate-limiter";
import type { Counter, Hit, Refusal, Windows } from "./sliding-window";
import { addHits, dropAllEnded, findRefusal, mergeCounters, readUsage, removeHit } from "./sliding-window";

/** The object did not answer; the call may or may not be counted, and `release` of the reservation gives it back. */
export type Unknown = { ok: "unknown"; reservation: string };

/** Why the object did not decide. `scope` is the object name up to the first colon, so no address is in it. */
export type LimiterFailure = { scope: string; call: "reserve" | "reserveEach" | "release"; reason: string };

/** Rate limits over Durable Objects. Object names are `<scope>:<id>`, one for each IP, address, user, token or company. */
export type Limiter = {
  /** Counts a call on all counters or none. Without an answer of the object, counters in this isolate decide. */
  reserve(objectName: string, counters: readonly Counter[]): Promise<Reserved | Refusal>;
  /** As `reserve`, but without an answer the caller decides. */
  tryReserve(objectName: string, counters: readonly Counter[]): Promise<Reserved | Refusal | Unknown>;
  /** Decides each item of a batch in order; without an answer the caller decides. */
  tryReserveEach(
    objectName: string,
    shared: readonly Counter[],
    items: readonly BatchItem[],
  ): Promise<({ ok: true } & ReservedEach) | Unknown>;
  /** Gives a reservation back, whole or in part. Never throws: what is not given back ends with its window. */
  release(objectName: string, reservation: string, part?: ReleasePart): Promise<void>;
  /** Calls of objects so far. */
  calls(): number;
};

/** How long the object may take. */
export const LIMITER_TIMEOUT_MS = 500;

/** The client of the RateLimiter objects; `onFallback` hears of every call that the object did not answer in 500 ms. */
export function createLimiter(
  namespace: DurableObjectNamespace<RateLimiter>,
  onFallback: (failure: LimiterFailure) => void,
): Limiter {
  let calls = 0;
  async function ask<T>(objectName: string, call: LimiterFailure["call"], send: (stub: Stub) => Promise<T>) {
    calls += 1;
    const answer = await settle(async () => send(namespace.get(namespace.idFromName(objectName))));
    if (!answer.ok) onFallback({ scope: objectName.split(":", 1)[0] ?? "", call, reason: answer.reason });
    return answer;
  }

  async function tryReserve(objectName: string, counters: readonly Counter[]): Promise<Reserved | Refusal | Unknown> {
    // The id is made here, so that a call whose answer is lost can still be given back.
    const reservation = crypto.randomUUID();
    if (counters.length === 0) return { ok: true, reservation, usage: [] };
    const request: ReserveRequest = { counters, reservation };
    const answer = await ask(objectName, "reserve", async (stub): Promise<Reserved | Refusal> => stub.reserve(request));
    return answer.ok ? answer.value : { ok: "unknown", reservation };
  }

  return {
    calls: () => calls,
    tryReserve,
    reserve: async (objectName, counters) => {
      const decision = await tryReserve(objectName, counters);
      return decision.ok === "unknown" ? reserveInIsolate(objectName, counters, decision.reservation) : decision;
    },
    tryReserveEach: async (objectName, shared, items) => {
      const reservation = crypto.randomUUID();
      const request = { shared, items, reservation };
      const answer = await ask(objectName, "reserveEach", async (stub): Promise<ReservedEach> => {
        const { results } = await stub.reserveEach(request);
        return { reservation, results: results as BatchItemResult[] };
      });
      return answer.ok ? { ok: true, ...answer.value } : { ok: "unknown", reservation };
    },
    release: async (objectName, reservation, part) => {
      releaseInIsolate(reservation, part);
      await ask(objectName, "release", async (stub) => stub.release(reservation, part));
    },
  };
}

/** The counter of a setting as a list to spread: empty when the rate is off (null, or a limit of 0). */
export function toCounters(key: string, rate: Rate | null, cost = 1): Counter[] {
  return rate === null || rate.limit === 0 ? [] : [{ key, limit: rate.limit, windowMs: rate.windowMs, cost }];
}

/** `Retry-After` of a refusal: whole seconds until the refused call would fit, at least 1. */
export function toRetryAfterSeconds(refusal: { retryAfterMs: number }): number {
  return Math.max(1, Math.ceil(refusal.retryAfterMs / 1000));
}

type Stub = DurableObjectStub<RateLimiter>;
type Answer<T> = { ok: true; value: T } | { ok: false; reason: string };

async function settle<T>(call: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await withTimeout(call(), LIMITER_TIMEOUT_MS) };
  } catch (error) {
    if (error instanceof TimeoutError) return { ok: false, reason: "timeout" };
    return { ok: false, reason: error instanceof Error ? error.message : "unknown error" };
  }
}

// The stand-in of an object that does not answer. It outlives requests, as the object would.
const isolateWindows: Windows = new Map();
const isolateReservations = new Map<string, Hit[]>();
const MAX_ISOLATE_RESERVATIONS = 10_000;

function reserveInIsolate(objectName: string, counters: readonly Counter[], reservation: string): Reserved | Refusal {
  const now = clock.now();
  if (isolateReservations.size >= MAX_ISOLATE_RESERVATIONS) dropEndedInIsolate(now);
  const named = counters.map((counter) => ({ ...counter, key: `${objectName}\n${counter.key}` }));
  const merged = mergeCounters(named);
  const refusal = findRefusal(isolateWindows, merged, now);
  if (refusal !== null)
    return { ...refusal, key: toBareKey(refusal.key), refusedKeys: refusal.refusedKeys.map(toBareKey) };
  isolateReservations.set(reservation, addHits(isolateWindows, merged, now, -1));
  const usage = readUsage(isolateWindows, merged, now).map((entry) => ({ ...entry, key: toBareKey(entry.key) }));
  return { ok: true, reservation, usage };
}

function toBareKey(key: string): string {
  return key.slice(key.indexOf("\n") + 1);
}

function releaseInIsolate(reservation: string, part: ReleasePart | undefined): void {
  for (const hit of isolateReservations.get(reservation) ?? []) {
    if (part?.keys?.includes(toBareKey(hit.key)) ?? true) removeHit(isolateWindows, hit);
  }
  if (part === undefined) isolateReservations.delete(reservation);
}

function dropEndedInIsolate(now: number): void {
  dropAllEnded(isolateWindows, now);
  for (const [reservation, hits] of isolateReservations) {
    if (hits.every((hit) => hit.at + hit.windowMs <= now)) isolateReservations.delete(reservation);
  }
}
