/** A pool of items. Each item is used by one caller at a time. */
export type Pool<T> = {
  /** Returns a free item or a new one. When the maximum is reached, waits for the next released item. */
  acquire(): Promise<T>;
  /** Returns an item to the pool. `retire` removes the item and lowers the maximum. */
  release(item: T, retire?: boolean): void;
  /** All items of the pool, free or in use. */
  all(): readonly T[];
  /** Resolves when no item is in use. */
  drain(): Promise<void>;
};

/** Creates a pool of at most `max` items. Items are created on demand and reused last in, first out. */
export function createPool<T>(max: number, create: () => T): Pool<T> {
  let limit = max;
  let all: T[] = [];
  const free: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  const drained: (() => void)[] = [];
  return {
    acquire() {
      const ready = free.pop();
      if (ready !== undefined) return Promise.resolve(ready);
      if (all.length >= limit) return new Promise((resolve) => waiting.push(resolve));
      const connection = create();
      all = [...all, connection];
      return Promise.resolve(connection);
    },
    release(item, retire = false) {
      if (retire) {
        all = all.filter((other) => other !== item);
        limit = all.length;
      } else {
        const next = waiting.shift();
        if (next) return next(item);
        free.push(item);
      }
      if (free.length === all.length) for (const resolve of drained.splice(0)) resolve();
    },
    all: () => all,
    drain: () => (free.length === all.length ? Promise.resolve() : new Promise((resolve) => drained.push(resolve))),
  };
}
