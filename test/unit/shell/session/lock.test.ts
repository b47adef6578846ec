import { describe, expect, test, vi } from "vitest";
import { createLease, createLock } from "../../../../shell/client/src/session/tabs/lock.ts";

function memory() {
  const entries = new Map<string, string>();
  let reads = 0;
  return {
    entries,
    reads: () => reads,
    getItem: (key: string) => {
      reads += 1;
      return entries.get(key) ?? null;
    },
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

describe("a lease", () => {
  test("runs one task at a time and is released", async () => {
    const storage = memory();
    let running = 0;
    let maxParallel = 0;
    const waited: boolean[] = [];
    const work = async (hasWaited: boolean) => {
      waited.push(hasWaited);
      running += 1;
      maxParallel = Math.max(maxParallel, running);
      // Waits until the other tasks have checked the lease.
      const readsSoFar = storage.reads() + 2 * (3 - waited.length);
      await vi.waitUntil(() => storage.reads() >= readsSoFar);
      running -= 1;
    };
    await Promise.all([1, 2, 3].map(() => createLease(storage)(work)));
    expect(maxParallel).toBe(1);
    expect(waited).toEqual([false, true, true]);
    expect(storage.entries.size).toBe(0);
  });

  test("is released when the task fails", async () => {
    const storage = memory();
    await expect(createLease(storage)(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(storage.entries.size).toBe(0);
  });

  test("delays the other tabs when its tab was closed, and they then run without it", async () => {
    const storage = memory();
    storage.setItem("platform:refresh-lock", JSON.stringify({ owner: "gone", until: Date.now() + 60_000 }));
    // No other task ran in the meantime.
    expect(await createLease(storage, 150)(async (hasWaited) => hasWaited)).toBe(false);
    expect(storage.entries.size).toBe(1);
    storage.setItem("platform:refresh-lock", "nonsense");
    expect(await createLease(storage)(async () => "done")).toBe("done");
  });
});

describe("a Web Lock", () => {
  test("passes to its task whether it has waited for another task", async () => {
    // Uses Node's LockManager, which behaves like a browser's LockManager.
    const lock = createLock(navigator.locks);
    const waited = await Promise.all([1, 2, 3].map(() => lock(async (hasWaited) => hasWaited)));
    expect(waited).toEqual([false, true, true]);
  });

  test("lets its task run once without the lock when the lock is not granted in time", async () => {
    const locks = { request: () => Promise.reject(new DOMException("", "TimeoutError")) } as unknown as LockManager;
    let times = 0;
    await createLock(locks)(async () => {
      times += 1;
    });
    expect(times).toBe(1);
  });

  test("rethrows the errors of its task", async () => {
    const locks = { request: (_: string, __: object, run: () => Promise<unknown>) => run() } as unknown as LockManager;
    let times = 0;
    const work = () => {
      times += 1;
      return Promise.reject(new Error("no"));
    };
    await expect(createLock(locks)(work)).rejects.toThrow("no");
    expect(times).toBe(1);
  });
});
