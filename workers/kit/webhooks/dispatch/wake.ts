/** Creates a signal that a loop sleeps on; a signal before it sleeps wakes it at once. */
export function createWake() {
  let hear = () => {};
  let isRung = false;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const ring = () => {
    isRung = true;
    hear();
  };
  return {
    ring,
    /** Runs `run` after `ms` and then wakes the loop. */
    after(ms: number, run: () => void) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
        ring();
      }, ms);
      timers.add(timer);
    },
    async wait() {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
      }
      isRung = false;
    },
    /** Cancels every timer. */
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
