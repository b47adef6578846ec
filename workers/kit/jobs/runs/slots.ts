import { clock } from "../../clock";

const POLL_MS = 50;

/**
 * End times (unix ms) of the runs in this isolate. A run whose invocation was killed frees its slot when its time is
 * over.
 */
const running = new Set<{ until: number }>();

/**
 * Waits for one of `size` slots of this isolate (`JOBS_WORKER_CONCURRENCY`) and takes it for at most `holdMs`. Returns
 * null when none was free within `waitMs`. It polls, because a Worker may not await a promise of another invocation.
 */
export async function takeSlot(size: number, times: { holdMs: number; waitMs: number }): Promise<(() => void) | null> {
  for (let waited = 0; waited <= times.waitMs; waited += POLL_MS) {
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
