import { expect } from "vitest";

// Real time, for the few tests that can prove a limit neither by the clock of the Workers nor by what happened first. A busy
// machine makes everything late, so each of these says what it measures and leaves room for that.

/** How much later than its time a wait may end while others have the processor. */
const ROOM_MS = 1500;
/** What takes no longer has not waited for anything. */
const NO_WAIT_MS = 2000;

/** What the work came to, and the ms of real time that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<[result: T, tookMs: number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

/** A wait for what never comes was ended by its limit: not before it, and after it as soon as a busy machine could. */
export function expectEndedByLimit(tookMs: number, limitMs: number, roomMs = ROOM_MS): void {
  // Timers may ring early by some ms.
  expect(tookMs).toBeGreaterThanOrEqual(limitMs * 0.95);
  expect(tookMs).toBeLessThan(limitMs + roomMs);
}

/** What the work came to, which was ended by its limit as the timers of its own event loop see it, however late they ring. */
export async function endedByLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const [result, tookMs] = await timed(() => beforeTimer(limitMs + ROOM_MS, work));
  expect(tookMs).toBeGreaterThanOrEqual(limitMs * 0.95);
  return result;
}

/** The work did not wait for what never comes; without its limit it would wait until the test's own end. */
export function expectNoWait(tookMs: number): void {
  expect(tookMs).toBeLessThan(NO_WAIT_MS);
}

/**
 * What the work came to, which has to be before a timer that begins with it rings. Timers of one event loop ring in the
 * order of their times, so a busy machine delays this one with those of the work.
 */
export async function beforeTimer<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the work had not ended when a timer of ${ms} ms rang`)), ms);
  });
  try {
    return await Promise.race([work(), rung]);
  } finally {
    clearTimeout(timer);
  }
}

/** The ms that this thread had the processor for the work; time in which others had it does not count. For Node alone. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
