import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { createLimiter, toCounters, toRetryAfterSeconds } from "../../../workers/kit/limits/limiter";
import { objectOf } from "../../../workers/kit/limits/names";
import type { RateLimiter } from "../../../workers/kit/limits/rate-limiter";
import type { Counter } from "../../../workers/kit/limits/sliding-window";

const namespace = (env as unknown as { RATE_LIMITER: DurableObjectNamespace<RateLimiter> }).RATE_LIMITER;
const limiterOf = (name: string) => namespace.get(namespace.idFromName(name));
const openNewLimiter = () => limiterOf(`company:${crypto.randomUUID()}`);
const minute = (key: string, limit: number, cost = 1): Counter => ({ key, limit, windowMs: 60_000, cost });

const realNow = clock.now;
let now = 0;
const countRows = (stub: ReturnType<typeof openNewLimiter>) =>
  runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length);

beforeEach(() => {
  now = 1_800_000_000_000;
  clock.now = () => now;
});
afterEach(() => {
  clock.now = realNow;
});

describe("reserving calls of a rate limiter", () => {
  test("uses a sliding window, in which each call expires separately and no boundary allows a double burst", async () => {
    const stub = openNewLimiter();
    const call = async (at: number) => {
      now = 1_800_000_000_000 + at;
      return (await stub.reserve({ counters: [minute("ip", 4)] })).ok;
    };
    expect([await call(50_000), await call(58_000), await call(59_000), await call(59_900)]).toEqual(
      Array(4).fill(true),
    );
    // A fixed window would start again at 60 s and let four more through.
    expect([await call(60_000), await call(61_000), await call(109_999)]).toEqual([false, false, false]);
    expect([await call(110_000), await call(110_001)]).toEqual([true, false]);
    expect([await call(118_000), await call(118_000)]).toEqual([true, false]);
  });

  test("returns the exact time until the rejected call would fit", async () => {
    const stub = openNewLimiter();
    const counters = [minute("a", 2), { key: "b", limit: 3, windowMs: 3_600_000 }];
    await stub.reserve({ counters });
    now += 10_500;
    await stub.reserve({ counters });
    const rejection = await stub.reserve({ counters });
    expect(rejection).toEqual({
      ok: false,
      key: "a",
      limit: 2,
      windowMs: 60_000,
      retryAfterMs: 49_500,
      refusedKeys: ["a"],
    });
    if (rejection.ok) throw new Error("not rejected");
    expect(toRetryAfterSeconds(rejection)).toBe(50);
    now += rejection.retryAfterMs - 1;
    expect((await stub.reserve({ counters })).ok).toBe(false);
    now += 1;
    expect((await stub.reserve({ counters })).ok).toBe(true);
    // Both counters are full. The call fits once the slower counter has capacity.
    const both = await stub.reserve({ counters });
    expect(both).toMatchObject({ ok: false, key: "a", refusedKeys: ["a", "b"], retryAfterMs: 3_600_000 - 60_000 });
  });

  test("waits until enough hits for the cost have expired, and a whole window for a cost above the limit", async () => {
    const stub = openNewLimiter();
    for (const cost of [3, 2, 5]) {
      await stub.reserve({ counters: [minute("company", 10, cost)] });
      now += 1000;
    }
    expect(await stub.reserve({ counters: [minute("company", 10, 4)] })).toMatchObject({ retryAfterMs: 58_000 });
    expect(await stub.reserve({ counters: [minute("company", 10, 11)] })).toMatchObject({ retryAfterMs: 60_000 });
  });

  test("counts a rejected call on none of its counters", async () => {
    const stub = openNewLimiter();
    await stub.reserve({ counters: [minute("address", 1)] });
    for (let i = 0; i < 5; i++) {
      const rejection = await stub.reserve({ counters: [minute("company", 2), minute("address", 1)] });
      expect(rejection).toMatchObject({ ok: false, key: "address" });
    }
    expect((await stub.reserve({ counters: [minute("company", 2), minute("other", 1)] })).ok).toBe(true);
    expect((await stub.reserve({ counters: [minute("company", 2)] })).ok).toBe(true);
    expect((await stub.reserve({ counters: [minute("company", 2)] })).ok).toBe(false);
  });

  test("adds up the costs of a key that a call names twice, and counts two windows of a key separately", async () => {
    const stub = openNewLimiter();
    expect((await stub.reserve({ counters: [minute("a", 1), minute("a", 1)] })).ok).toBe(false);
    const both = [minute("a", 5), { key: "a", limit: 5, windowMs: 1000 }];
    for (let i = 0; i < 5; i++) expect((await stub.reserve({ counters: both })).ok).toBe(true);
    expect((await stub.reserve({ counters: both })).ok).toBe(false);
  });

  test("returns the usage of each counter, including the call", async () => {
    const stub = openNewLimiter();
    const counters = [minute("company", 10, 2), { key: "a", limit: 10, windowMs: 1000 }, minute("a", 10)];
    const usage = (company: number, second: number, minutes: number) => [
      { key: "company", windowMs: 60_000, used: company },
      { key: "a", windowMs: 1000, used: second },
      { key: "a", windowMs: 60_000, used: minutes },
    ];
    expect(await stub.reserve({ counters })).toMatchObject({ usage: usage(2, 1, 1) });
    now += 1000;
    expect(await stub.reserve({ counters })).toMatchObject({ usage: usage(4, 1, 2) });
    const { results } = await stub.reserveEach({
      shared: [minute("company", 6)],
      items: [0, 1, 2].map((index) => ({ index, counters: [minute("a", 10)] })),
    });
    const longWindows = (company: number, user: number) =>
      usage(company, 0, user).filter(({ windowMs }) => windowMs > 1000);
    expect(results).toMatchObject([{ usage: longWindows(5, 3) }, { usage: longWindows(6, 4) }, { ok: false }]);
  });

  test("admits exactly the limit out of 50 concurrent calls", async () => {
    const stub = openNewLimiter();
    const calls = Array.from({ length: 50 }, () => stub.reserve({ counters: [minute("ip", 7)] }));
    expect((await Promise.all(calls)).filter(({ ok }) => ok)).toHaveLength(7);
  });

  test("does not count a repeated reservation id again", async () => {
    const stub = openNewLimiter();
    const request = { counters: [minute("a", 2)], reservation: "r1" };
    const usage = [{ key: "a", windowMs: 60_000, used: 1 }];
    for (let i = 0; i < 4; i++) expect(await stub.reserve(request)).toEqual({ ok: true, reservation: "r1", usage });
    expect((await stub.reserve({ counters: [minute("a", 2)] })).ok).toBe(true);
    expect((await stub.reserve({ counters: [minute("a", 2)] })).ok).toBe(false);
  });

  test("reserves over 500 addresses and a company in one call and releases them", async () => {
    const stub = openNewLimiter();
    const addresses = Array.from({ length: 500 }, (_, i) => minute(`address-${i}`, 1));
    const counters = [minute("company", 500, 500), ...addresses];
    const decision = await stub.reserve({ counters });
    if (!decision.ok) throw new Error("rejected");
    const repeated = await stub.reserve({ counters });
    expect(repeated).toMatchObject({ ok: false, key: "company" });
    expect(repeated.ok ? 0 : repeated.refusedKeys.length).toBe(501);
    await stub.release(decision.reservation);
    expect((await stub.reserve({ counters })).ok).toBe(true);
  });
});

describe("releasing a reservation", () => {
  test("releases the whole reservation once, even when the release is repeated or late", async () => {
    const stub = openNewLimiter();
    const reserve = () => stub.reserve({ counters: [minute("a", 2), minute("b", 2)] });
    const first = await reserve();
    await reserve();
    if (!first.ok) throw new Error("rejected");
    await stub.release(first.reservation);
    await stub.release(first.reservation);
    await stub.release("unknown");
    expect([(await reserve()).ok, (await reserve()).ok]).toEqual([true, false]);
  });

  test("does not free capacity of later calls when the window of the reservation has ended", async () => {
    const stub = openNewLimiter();
    const first = await stub.reserve({ counters: [minute("a", 1)] });
    now += 60_000;
    expect((await stub.reserve({ counters: [minute("a", 1)] })).ok).toBe(true);
    if (!first.ok) throw new Error("rejected");
    await stub.release(first.reservation);
    expect((await stub.reserve({ counters: [minute("a", 1)] })).ok).toBe(false);
  });

  test("releases only the given keys or items", async () => {
    const stub = openNewLimiter();
    const items = [0, 1, 2].map((index) => ({ index, counters: [minute(`address-${index}`, 1)] }));
    const shared = [minute("company", 3)];
    const { reservation } = await stub.reserveEach({ shared, items });
    await stub.release(reservation, { items: [1] });
    await evictDurableObject(stub);
    const { results } = await stub.reserveEach({ shared, items });
    expect(results.map(({ ok }) => ok)).toEqual([false, true, false]);
    await stub.release(reservation, { keys: ["address-0"] });
    expect((await stub.reserve({ counters: [minute("address-0", 1)] })).ok).toBe(true);
    expect((await stub.reserve({ counters: shared })).ok).toBe(false);
  });
});

describe("reserving a batch", () => {
  test("decides the items in order, and reserves all or no counters of an item", async () => {
    const stub = openNewLimiter();
    const { results } = await stub.reserveEach({
      shared: [minute("company", 5)],
      items: [
        { index: 0, counters: [minute("x", 1)], cost: 2 },
        { index: 1, counters: [minute("x", 1)] },
        { index: 3, counters: [minute("y", 1)], cost: 4 },
        { index: 4, counters: [minute("y", 1)], cost: 3 },
        { index: 7, counters: [] },
      ],
    });
    expect(results.map((result) => [result.index, result.ok ? "ok" : result.key])).toEqual([
      [0, "ok"],
      [1, "x"],
      [3, "company"],
      [4, "ok"],
      [7, "company"],
    ]);
  });
});

describe("stored state of a rate limiter", () => {
  test("survives a restart of the object", async () => {
    const stub = openNewLimiter();
    const counters = [minute("a", 2)];
    const first = await stub.reserve({ counters });
    await stub.reserve({ counters });
    await evictDurableObject(stub);
    expect((await stub.reserve({ counters })).ok).toBe(false);
    if (!first.ok) throw new Error("rejected");
    await stub.release(first.reservation);
    expect((await stub.reserve({ counters })).ok).toBe(true);
  });

  test("is removed by the alarm when the last window has ended, and not before", async () => {
    const stub = openNewLimiter();
    await stub.reserve({ counters: [minute("a", 1)] });
    now += 30_000;
    await stub.reserve({ counters: [minute("b", 1)] });
    now += 30_000;
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await countRows(stub)).toBe(1);
    expect((await stub.reserve({ counters: [minute("b", 1)] })).ok).toBe(false);
    now += 30_000;
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await countRows(stub)).toBe(0);
    expect(await runDurableObjectAlarm(stub)).toBe(false);
    expect((await stub.reserve({ counters: [minute("b", 1)] })).ok).toBe(true);
    expect(await countRows(stub)).toBe(1);
  });

  test("is not created by a rejection or a release", async () => {
    const stub = openNewLimiter();
    await stub.release("unknown");
    await stub.reserve({ counters: [minute("a", 1, 2)] });
    expect(await countRows(stub)).toBe(0);
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });
});

/** Counts the rows and alarms that an object writes after this call. An alarm is billed as a row, too. */
async function countWrites(stub: ReturnType<typeof openNewLimiter>) {
  const written = { rows: 0, alarms: 0 };
  await runInDurableObject(stub, (instance, { storage }) => {
    const put = (key: string, value: unknown) => {
      written.rows += 1;
      storage.kv.put(key, value);
    };
    const remove = (key: string) => {
      written.rows += 1;
      return storage.kv.delete(key);
    };
    const setAlarm = (at: number) => {
      written.alarms += 1;
      return storage.setAlarm(at);
    };
    const counted = {
      kv: { put, delete: remove },
      setAlarm,
      getAlarm: () => storage.getAlarm(),
      deleteAll: () => storage.deleteAll(),
    };
    Object.defineProperty(instance, "ctx", { value: { storage: counted } });
  });
  return written;
}

describe("writes of a rate limiter", () => {
  const cleared = { rows: 0, alarms: 0 };

  test("are one row per call, and one alarm for all rows", async () => {
    const stub = openNewLimiter();
    const written = await countWrites(stub);
    await stub.reserve({ counters: [minute("company", 100), minute("address", 100)] });
    expect(written).toEqual({ rows: 1, alarms: 1 });
    Object.assign(written, cleared);
    for (let call = 0; call < 9; call++) await stub.reserve({ counters: [minute("company", 100), minute("b", 100)] });
    expect(written).toEqual({ rows: 9, alarms: 0 });
    await stub.reserve({ counters: [minute("company", 10)] });
    expect(written).toEqual({ rows: 9, alarms: 0 });
  });

  test("overwrite expired rows, so that these need no deletion", async () => {
    const stub = openNewLimiter();
    const call = (key: string) => stub.reserve({ counters: [minute(key, 1), { key, limit: 9, windowMs: 1000 }] });
    const written = await countWrites(stub);
    for (const key of ["a", "b", "c"]) await call(key);
    now += 60_000;
    Object.assign(written, cleared);
    for (const key of ["a", "d", "e"]) expect((await call(key)).ok).toBe(true);
    expect(written).toEqual({ rows: 3, alarms: 0 });
    expect(await countRows(stub)).toBe(3);
    now += 30_000;
    expect((await call("f")).ok).toBe(true);
    expect(await countRows(stub)).toBe(4);
  });

  test("are restored in the order of their time for any order of the rows", async () => {
    const stub = openNewLimiter();
    const hour = { key: "a", limit: 3, windowMs: 3_600_000 };
    await stub.reserve({ counters: [minute("b", 1)] });
    await stub.reserve({ counters: [hour] });
    now += 60_000;
    // Overwrites the first row, which is stored before the row of a minute ago.
    await stub.reserve({ counters: [{ ...hour, cost: 2 }] });
    expect(await countRows(stub)).toBe(2);
    await evictDurableObject(stub);
    expect(await stub.reserve({ counters: [hour] })).toMatchObject({ ok: false, retryAfterMs: 3_540_000 });
    now += 3_540_000;
    expect((await stub.reserve({ counters: [hour] })).ok).toBe(true);
    expect((await stub.reserve({ counters: [hour] })).ok).toBe(false);
  });

  test("leave no expired hits in memory", async () => {
    const stub = openNewLimiter();
    const sizes = () =>
      runInDurableObject(stub, (instance) => {
        const { windows, reservations } = instance as unknown as Record<string, Map<string, unknown>>;
        return [windows?.size, reservations?.size];
      });
    for (let address = 0; address < 50; address++) await stub.reserve({ counters: [minute(`ip:${address}`, 1)] });
    const decision = await stub.reserve({ counters: [minute("given", 1)] });
    if (decision.ok) await stub.release(decision.reservation);
    expect(await sizes()).toEqual([50, 50]);
    now += 60_000;
    await stub.reserve({ counters: [minute("ip:last", 1)] });
    expect(await sizes()).toEqual([1, 1]);
  });
});

describe("the rate limiter client", () => {
  const unexpected = () => {
    throw new Error("unexpected fallback");
  };

  test("reserves, rejects and releases through the object with the given name", async () => {
    const limiter = createLimiter(namespace, unexpected);
    const name = `ip:${crypto.randomUUID()}`;
    const counters = toCounters("ip", { limit: 1, windowMs: 60_000 });
    const decision = await limiter.reserve(name, counters);
    expect((await limiter.reserve(name, counters)).ok).toBe(false);
    expect((await limiter.reserve(`${name}0`, counters)).ok).toBe(true);
    if (!decision.ok) throw new Error("rejected");
    await limiter.release(name, decision.reservation);
    expect((await limiter.reserve(name, counters)).ok).toBe(true);
    expect((await limiter.reserve(name, toCounters("ip", null))).ok).toBe(true);
  });

  test("counts the names of one object separately", async () => {
    const limiter = createLimiter(namespace, unexpected);
    const name = `ip:${crypto.randomUUID()}`;
    const other = Array.from({ length: 2000 }, (_, at) => `${name}.${at}`).find(
      (stored) => objectOf(stored) === objectOf(name),
    );
    const counters = toCounters("token", { limit: 1, windowMs: 60_000 });
    expect((await limiter.reserve(name, counters)).ok).toBe(true);
    expect((await limiter.reserve(other ?? name, counters)).ok).toBe(true);
    expect(await limiter.reserve(name, counters)).toMatchObject({ ok: false, key: "token", refusedKeys: ["token"] });
    expect((await limiter.reserve(other ?? name, counters)).ok).toBe(false);
  });

  test("releases the counters of an address in a shared object", async () => {
    const limiter = createLimiter(namespace, unexpected);
    const name = `address:${crypto.randomUUID()}`;
    const counters = [minute("a", 1), minute("b", 1)];
    const decision = await limiter.reserve(name, counters);
    if (!decision.ok) throw new Error("rejected");
    expect(decision.usage).toEqual(["a", "b"].map((key) => ({ key, windowMs: 60_000, used: 1 })));
    await limiter.release(name, decision.reservation, { keys: ["b"] });
    expect(await limiter.reserve(name, counters)).toMatchObject({ ok: false, key: "a", refusedKeys: ["a"] });
    expect((await limiter.reserve(name, [minute("b", 1)])).ok).toBe(true);
  });

  test("decides the items of a batch in one call", async () => {
    const limiter = createLimiter(namespace, unexpected);
    const items = [0, 1, 2].map((index) => ({ index, counters: [] }));
    const decision = await limiter.tryReserveEach(`company:${crypto.randomUUID()}`, [minute("company", 2)], items);
    if (decision.ok !== true) throw new Error("no decision");
    expect(decision.results.map(({ ok }) => ok)).toEqual([true, true, false]);
  });
});
