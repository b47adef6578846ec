/** Creates a signal that wakes a sleeping loop. A signal that is sent before the loop sleeps wakes it immediately. */
export function createWake() {
  let wakeUp = () => {};
  let isSignalled = false;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const signal = () => {
    isSignalled = true;
    wakeUp();
  };
  return {
    signal,
    /** Runs `run` after `ms` and then wakes the loop. */
    after(ms: number, run: () => void) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
        signal();
      }, ms);
      timers.add(timer);
    },
    async wait() {
      if (!isSignalled) {
        await new Promise<void>((resolve) => {
          wakeUp = resolve;
        });
      }
      isSignalled = false;
    },
    /** Cancels every timer. */
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
