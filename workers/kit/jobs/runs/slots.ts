import { clock } from "../../clock";

const POLL_MS = 50;

/**
 * The runs in this isolate with their end times (unix ms). When an invocation is killed, the slot of its run becomes
 * free at that time.
 */
const running = new Set<{ until: number }>();

/**
 * Waits for one of the `size` slots of this isolate (`JOBS_WORKER_CONCURRENCY`) and takes it for at most `holdMs`.
 * Returns a function that frees the slot, or null when none was free within `waitMs`. It polls, because a Worker may
 * not await a promise of another invocation.
 */
export async function acquireSlot(
  size: number,
  times: { holdMs: number; waitMs: number },
): Promise<(() => void) | null> {
  for (let waitedMs = 0; waitedMs <= times.waitMs; waitedMs += POLL_MS) {
    const now = clock.now();
    for (const slot of running) if (slot.until <= now) running.delete(slot);
    if (running.size < size) {
      const slot = { until: now + times.holdMs };
      running.add(slot);
      return () => void running.delete(slot);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return null;
}
