import { randomText } from "../service-error.ts";

/** Lets one tab of this browser work at a time, and says whether it waited for another one. */
export type Lock = <Value>(work: (hasWaited: boolean) => Promise<Value>) => Promise<Value>;

const name = "platform:refresh";
/** How long a tab waits for the others, ms; then it works beside them, which the service forgives for 30 s. */
const PATIENCE = 5_000;
/** How long a tab may keep the others waiting where there are no Web Locks, ms. */
const LEASE = 10_000;
/** How long what a tab stores may take to the others, which are processes of their own, ms. */
const SPREAD = 150;

/** The lock of a refresh: a Web Lock, and a lease in the storage on pages without https. A lock is never stolen. */
export function createLock(locks: LockManager | undefined = navigator.locks): Lock {
  if (locks === undefined) return isStorageOpen() ? createLease(localStorage) : (work) => work(false);
  return async (work) => {
    let begun = false;
    const run = (hasWaited: boolean) => {
      begun = true;
      return work(hasWaited);
    };
    try {
      const done = await locks.request(name, { ifAvailable: true }, async (lock) =>
        lock === null ? null : { value: await run(false) },
      );
      if (done !== null) return done.value;
      return await locks.request(name, { signal: AbortSignal.timeout(PATIENCE) }, () => run(true));
    } catch (error) {
      if (begun) throw error;
      return work(false);
    }
  };
}

/** Browsers may keep pages from storing anything; then no other tab shares the session either. */
function isStorageOpen(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}

type Lease = { owner: string; until: number };

/** A lease: who writes its name and still finds it a moment later has it. Others wait until it is given back or runs out. */
export function createLease(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, patience = PATIENCE): Lock {
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
    storage.setItem(key, JSON.stringify({ owner, until: Date.now() + LEASE } satisfies Lease));
    await pause(SPREAD + Math.random() * 50);
    return read()?.owner === owner;
  };
  return async (work) => {
    const owner = randomText(12);
    const end = Date.now() + patience;
    let isAcquired = await tryAcquire(owner);
    const hasWaited = !isAcquired;
    while (!isAcquired && Date.now() < end) {
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
