/** Things that one user has at a time. */
export type Pool<T> = {
  /** A free one, a new one while there are fewer than the maximum, else the next that is released. */
  acquire(): Promise<T>;
  /** Gives it back; `retire`: it leaves the pool and is not replaced. */
  release(item: T, retire?: boolean): void;
  /** Those in the pool, free or not. */
  all(): readonly T[];
  /** Resolves when none is in use. */
  drain(): Promise<void>;
};

/** A pool of at most `max` things, made when they are first needed; the one that was used last is used first. */
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
