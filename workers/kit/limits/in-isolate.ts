import { clock } from "../clock";
import { unqualifiedKey, withName, withoutName } from "./names";
import type { ReleasePart, Reserved } from "./rate-limiter";
import type { Counter, Hit, Refusal, Windows } from "./sliding-window";
import { addHits, dropAllEnded, findRefusal, mergeCounters, readUsage, removeHit } from "./sliding-window";

// The fallback for rate limiter objects that do not respond. Its state outlives requests, as the state of an object
// does.
const isolateWindows: Windows = new Map();
const isolateReservations = new Map<string, Hit[]>();
const MAX_ISOLATE_RESERVATIONS = 10_000;

/** Decides like a rate limiter object, based only on the calls of this isolate. */
export function reserveInIsolate(name: string, counters: readonly Counter[], reservation: string): Reserved | Refusal {
  const now = clock.now();
  if (isolateReservations.size >= MAX_ISOLATE_RESERVATIONS) dropEndedInIsolate(now);
  const merged = mergeCounters(withName(name, counters));
  const refusal = findRefusal(isolateWindows, merged, now);
  if (refusal !== null) return withoutName(refusal);
  isolateReservations.set(reservation, addHits(isolateWindows, merged, now, -1));
  return withoutName({ ok: true, reservation, usage: readUsage(isolateWindows, merged, now) });
}

/** Releases a reservation of `reserveInIsolate`; ignores an unknown reservation. */
export function releaseInIsolate(reservation: string, part: ReleasePart | undefined): void {
  for (const hit of isolateReservations.get(reservation) ?? []) {
    if (part?.keys?.includes(unqualifiedKey(hit.key)) ?? true) removeHit(isolateWindows, hit);
  }
  if (part === undefined) isolateReservations.delete(reservation);
}

function dropEndedInIsolate(now: number): void {
  dropAllEnded(isolateWindows, now);
  for (const [reservation, hits] of isolateReservations) {
    if (hits.every((hit) => hit.at + hit.windowMs <= now)) isolateReservations.delete(reservation);
  }
}
