import { randomText } from "../service-error.ts";

/** Runs `work` in one tab at a time. `hasWaited` is true if another tab held the lock first. */
export type Lock = <Value>(work: (hasWaited: boolean) => Promise<Value>) => Promise<Value>;

const name = "platform:refresh";
/**
 * How long a tab waits for the lock, ms. Then it continues without the lock, because the service accepts a replaced refresh
 * token for another 30 s.
 */
const MAX_WAIT = 5_000;
/** Lifetime of a storage lease, ms. */
const LEASE_DURATION = 10_000;
/** How long a storage write may take to reach other tabs, which run in other processes, ms. */
const PROPAGATION_TIME = 150;

/**
 * Returns the refresh lock: a Web Lock, or a storage lease on pages without HTTPS, where Web Locks are missing. A tab never
 * steals the lock of another tab.
 */
export function createLock(locks: LockManager | undefined = navigator.locks): Lock {
  if (locks === undefined) return isStorageOpen() ? createLease(localStorage) : (work) => work(false);
  return async (work) => {
    let hasStarted = false;
    const run = (hasWaited: boolean) => {
      hasStarted = true;
      return work(hasWaited);
    };
    try {
      const done = await locks.request(name, { ifAvailable: true }, async (lock) =>
        lock === null ? null : { value: await run(false) },
      );
      if (done !== null) return done.value;
      return await locks.request(name, { signal: AbortSignal.timeout(MAX_WAIT) }, () => run(true));
    } catch (error) {
      if (hasStarted) throw error;
      return work(false);
    }
  };
}

/** Returns whether the browser allows storage. Without storage, no other tab shares the session. */
function isStorageOpen(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}

type Lease = { owner: string; until: number };

/**
 * Returns a lock based on a lease in storage. A tab writes its id, and holds the lease if the id is still there after a moment.
 * Other tabs wait until the lease is released or expires.
 */
export function createLease(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, maxWait = MAX_WAIT): Lock {
  const key = "platform:refresh-lock";
  const read = (): Lease | null => {
    try {
      const lease = JSON.parse(storage.getItem(key) ?? "null") as Lease | null;
      return lease !== null && lease.until > Date.now() ? lease : null;
    } catch {
      return null;
    }
  };
  const tryAcquire = async (owner: string): Promise<boolean> => {
    if (read() !== null) return false;
    storage.setItem(key, JSON.stringify({ owner, until: Date.now() + LEASE_DURATION } satisfies Lease));
    await pause(PROPAGATION_TIME + Math.random() * 50);
    return read()?.owner === owner;
  };
  return async (work) => {
    const owner = randomText(12);
    const deadline = Date.now() + maxWait;
    let isAcquired = await tryAcquire(owner);
    const hasWaited = !isAcquired;
    while (!isAcquired && Date.now() < deadline) {
      await pause(100);
      isAcquired = await tryAcquire(owner);
    }
    try {
      return await work(hasWaited && isAcquired);
    } finally {
      if (read()?.owner === owner) storage.removeItem(key);
    }
  };
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
