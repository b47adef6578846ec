import { expect } from "vitest";

// Helpers that measure real time, for the few tests that can prove a limit neither with the Workers' clock nor by the
// order of events. A busy machine delays everything, so each helper documents what it measures and allows a margin.

/** Allowed delay of a timeout when other processes use the CPU. */
const MARGIN_MS = 1500;
/** Work that is faster than this has not waited for a timeout. */
const NO_WAIT_MS = 2000;

/** Runs the work and returns its result and the elapsed real time in ms. */
export async function timed<T>(work: () => Promise<T>): Promise<[result: T, tookMs: number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

/** Expects that a time limit ended a wait: not before the limit, and at most `marginMs` after it. */
export function expectEndedByLimit(tookMs: number, limitMs: number, marginMs = MARGIN_MS): void {
  // Timers may fire a few ms early.
  expect(tookMs).toBeGreaterThanOrEqual(limitMs * 0.95);
  expect(tookMs).toBeLessThan(limitMs + marginMs);
}

/**
 * Runs work that must end at its time limit. A timer of the same event loop measures it, so that a busy machine delays
 * both.
 */
export async function endedByLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const [result, tookMs] = await timed(() => beforeTimer(limitMs + MARGIN_MS, work));
  expect(tookMs).toBeGreaterThanOrEqual(limitMs * 0.95);
  return result;
}

/** Expects that the work did not wait for a timeout. */
export function expectNoWait(tookMs: number): void {
  expect(tookMs).toBeLessThan(NO_WAIT_MS);
}

/**
 * Runs the work, which must finish before a timer that starts with it. Timers of one event loop fire in the order of
 * their times, so a busy machine delays both.
 */
export async function beforeTimer<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the work did not end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the CPU time of the work in this thread, in ms. Only for Node. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
