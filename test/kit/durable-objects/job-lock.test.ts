import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clock } from "../../../workers/kit/clock";
import type { AcquireRequest, JobLock } from "../../../workers/kit/jobs/lock/job-lock";

const { BROKER } = env as unknown as { BROKER: DurableObjectNamespace<JobLock> };
const open = (name: string) => BROKER.get(BROKER.idFromName(name));
const openNewLock = () => open(`hosting-service:scheduler:lock:${crypto.randomUUID()}`);

const realNow = clock.now;
let now = 0;
beforeEach(() => {
  now = 1_800_000_000_000;
  clock.now = () => now;
});
afterEach(() => {
  clock.now = realNow;
});

const tick = (token: string, scheduled_time: number): AcquireRequest => ({
  token,
  ttl_s: 120,
  trigger: "scheduler",
  host: `w@unknown:${token}`,
  scheduled_time,
});
const command = (token: string): AcquireRequest => ({
  token,
  ttl_s: 900,
  trigger: "command",
  host: `w@unknown:${token}`,
});

describe("acquiring a job lock", () => {
  test("gives the first fence to one of many concurrent callers, and returns the holder to the others", async () => {
    const lock = openNewLock();
    const results = await Promise.all(["a", "b", "c"].map((token) => lock.acquire(command(token))));
    const holder = { trigger: "command", host: "w@unknown:a", acquired_at: now, expires_at: now + 900_000 };
    expect(results).toEqual([
      { ok: true, fence: 1 },
      { ok: false, holder, is_tick_taken: false },
      { ok: false, holder, is_tick_taken: false },
    ]);
    expect(await lock.holder()).toEqual(holder);
  });

  test("acquires a lock in the millisecond of its expiry, with a fence that grows across expiry and restart", async () => {
    const lock = openNewLock();
    await lock.acquire(tick("a", now));
    now += 119_999;
    expect((await lock.acquire(tick("b", now))).ok).toBe(false);
    now += 1;
    expect(await lock.holder()).toBeNull();
    expect(await lock.acquire(tick("c", now))).toEqual({ ok: true, fence: 2 });
    await lock.release("c");
    await evictDurableObject(lock);
    expect(await lock.acquire(command("d"))).toEqual({ ok: true, fence: 3 });
  });

  test("acquires the lock once per tick and never for an older tick, unless a command requests it", async () => {
    const lock = openNewLock();
    const time = now;
    await lock.acquire(tick("a", time));
    await lock.release("a");
    for (const scheduled of [time, time - 60_000]) {
      expect(await lock.acquire(tick("b", scheduled))).toMatchObject({
        ok: false,
        is_tick_taken: true,
        holder: { host: "w@unknown:a" },
      });
    }
    expect((await lock.acquire(command("c"))).ok).toBe(true);
    await lock.release("c");
    expect((await lock.acquire(tick("d", time + 60_000))).ok).toBe(true);
  });

  test("returns the first result again to the holder, in case its response was lost", async () => {
    const lock = openNewLock();
    expect(await lock.acquire(tick("a", now))).toEqual({ ok: true, fence: 1 });
    expect(await lock.acquire(tick("a", now))).toEqual({ ok: true, fence: 1 });
  });
});

describe("renewing a job lock", () => {
  test("extends the lock from the current time, only for the holder's token", async () => {
    const lock = openNewLock();
    await lock.acquire(tick("a", now));
    now += 100_000;
    expect(await lock.renew("b", 20)).toBe(false);
    expect(await lock.renew("a", 20)).toBe(true);
    expect(await lock.holder()).toMatchObject({ host: "w@unknown:a", expires_at: now + 20_000 });
    now += 20_000;
    expect(await lock.acquire(command("c"))).toEqual({ ok: true, fence: 2 });
    expect(await lock.renew("a", 20)).toBe(false);
  });

  test("renews an expired lock that no one else has acquired", async () => {
    const lock = openNewLock();
    await lock.acquire(tick("a", now));
    now += 120_000;
    expect(await lock.renew("a", 20)).toBe(true);
    expect(await lock.acquire(command("b"))).toMatchObject({ ok: false, holder: { expires_at: now + 20_000 } });
    await lock.release("a");
    expect(await lock.renew("a", 20)).toBe(false);
  });
});

test("releases a job lock only for the holder's token", async () => {
  const lock = openNewLock();
  await lock.acquire(command("a"));
  await lock.release("b");
  expect((await lock.acquire(command("c"))).ok).toBe(false);
  await lock.release("a");
  expect((await lock.acquire(command("c"))).ok).toBe(true);
});

test("stores the heartbeat with its decimals under its key, without expiry", async () => {
  const name = `${crypto.randomUUID()}-service:scheduler:beat`;
  const beat = open(name);
  expect(await beat.ping()).toBe("pong");
  expect(await beat.lastBeat()).toBeNull();
  await beat.beat(1_800_000_000.123);
  now += 365 * 86_400_000;
  await evictDurableObject(beat);
  expect(await beat.lastBeat()).toBe(1_800_000_000.123);
  const keys = await runInDurableObject(beat, (_, state) => [...state.storage.kv.list()].map(([key]) => key));
  expect(keys).toEqual([`${name}:heartbeat`]);
});
