/** Runs uploads to R2 with a limited number at once. `run` waits for a free place. Both throw the first error of an upload. */
export function createPool(limit: number) {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  const check = () => {
    if (failure !== null) throw failure.error;
  };
  return {
    async run(work: () => Promise<unknown>): Promise<void> {
      while (running.size >= limit) await Promise.race(running);
      check();
      const task = work().then(
        () => undefined,
        (error: unknown) => {
          failure ??= { error };
        },
      );
      running.add(task);
      void task.then(() => running.delete(task));
    },
    /** Waits for all uploads. */
    async end(): Promise<void> {
      await Promise.all(running);
      check();
    },
  };
}
