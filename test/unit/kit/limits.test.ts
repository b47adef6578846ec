import { afterEach, expect, test, vi } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { clientIpKey } from "../../../workers/kit/limits/client-ip";
import type { LimiterFailure } from "../../../workers/kit/limits/limiter";
import { createLimiter, toCounters, toRetryAfterSeconds } from "../../../workers/kit/limits/limiter";
import { objectOf } from "../../../workers/kit/limits/names";
import type { RateLimiter } from "../../../workers/kit/limits/rate-limiter";

// rate-limiter.ts is imported only for its types. Tests in test/kit run the object itself inside workerd.
type Namespace = DurableObjectNamespace<RateLimiter>;

/**
 * Returns a namespace whose objects call `respond` for every request, for example to act like an overloaded or
 * unreachable object.
 */
const namespaceOf = (respond: () => Promise<unknown>) =>
  ({
    idFromName: (name: string) => name,
    get: () => ({ reserve: respond, reserveEach: respond, release: respond }),
  }) as unknown as Namespace;

const realNow = clock.now;
afterEach(() => {
  vi.useRealTimers();
  clock.now = realNow;
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["::ffff:cb00:7109", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", "unknown"],
  ["not an address", "unknown"],
  ["203.0.113.9, 198.51.100.1", "unknown"],
])("counts the client address %j as %s", (header, key) => {
  const headers = { "CF-Connecting-IP": header, "X-Forwarded-For": "198.51.100.7" };
  expect(clientIpKey(new Request("https://example.com", { headers }))).toBe(key);
});

test("counts a request without the address header as unknown", () => {
  expect(clientIpKey(new Request("https://example.com"))).toBe("unknown");
});

test("counts in the isolate with the same limits when the object does not respond within 500 ms, and logs no address", async () => {
  vi.useFakeTimers();
  const failures: LimiterFailure[] = [];
  const limiter = createLimiter(
    namespaceOf(() => new Promise(() => undefined)),
    (failure) => failures.push(failure),
  );
  const counters = [...toCounters("ip", { limit: 2, windowMs: 60_000 }), ...toCounters("off", null)];
  const reserve = async (name: string) => {
    const call = limiter.reserve(name, counters);
    await vi.advanceTimersByTimeAsync(499);
    const early = await Promise.race([call, "waiting"]);
    await vi.advanceTimersByTimeAsync(1);
    return { early, decision: await call };
  };
  const name = `ip:${crypto.randomUUID()}`;
  const first = await reserve(name);
  expect(first).toMatchObject({ early: "waiting", decision: { ok: true } });
  expect((await reserve(name)).decision.ok).toBe(true);
  const rejected = (await reserve(name)).decision;
  expect(rejected).toMatchObject({ ok: false, key: "ip", limit: 2, refusedKeys: ["ip"] });
  expect(rejected.ok ? 0 : toRetryAfterSeconds(rejected)).toBeGreaterThan(50);
  expect((await reserve(`${name}0`)).decision.ok).toBe(true);
  expect(failures).toEqual(Array(4).fill({ scope: "ip", call: "reserve", reason: "timeout" }));

  const released = limiter.release(name, first.decision.ok ? first.decision.reservation : "");
  await vi.advanceTimersByTimeAsync(500);
  await released;
  expect((await reserve(name)).decision.ok).toBe(true);
  expect((await reserve(name)).decision.ok).toBe(false);
  const now = clock.now();
  clock.now = () => now + 60_000;
  expect((await reserve(name)).decision.ok).toBe(true);
});

test("treats a failed object like an object that does not respond, and lets the caller decide", async () => {
  const failures: LimiterFailure[] = [];
  const broken = namespaceOf(() => Promise.reject(new Error("overloaded")));
  const limiter = createLimiter(broken, (failure) => failures.push(failure));
  const counters = toCounters("company", { limit: 1, windowMs: 1000 });
  expect(await limiter.tryReserve("company:1", counters)).toEqual({ ok: "unknown", reservation: expect.any(String) });
  expect(await limiter.tryReserveEach("company:1", counters, [])).toMatchObject({ ok: "unknown" });
  expect(failures.map(({ call, reason }) => `${call}: ${reason}`)).toEqual([
    "reserve: overloaded",
    "reserveEach: overloaded",
  ]);
});

test("spreads addresses evenly over 64 objects, while companies and users have their own", () => {
  const shared = new Map<string, number>();
  for (let at = 0; at < 6400; at++) {
    const object = objectOf(`${at % 2 ? "ip" : "address"}:${at.toString(16).padStart(32, "0")}`);
    shared.set(object, (shared.get(object) ?? 0) + 1);
  }
  expect(shared.size).toBe(64);
  expect(Math.max(...shared.values())).toBeLessThan(200);
  expect([objectOf("company:7"), objectOf("user:7")]).toEqual(["company:7", "user:7"]);
});

test("calls no rate limiter object for a limit that is off", async () => {
  const limiter = createLimiter(
    namespaceOf(() => Promise.reject(new Error("called"))),
    () => expect.unreachable(),
  );
  const counters = toCounters("company", { limit: 0, windowMs: 1000 });
  expect((await limiter.tryReserve("company:1", counters)).ok).toBe(true);
});

test("rounds Retry-After up to whole seconds, at least 1", () => {
  expect([0, 1, 1000, 1001, 59_999].map((retryAfterMs) => toRetryAfterSeconds({ retryAfterMs }))).toEqual([
    1, 1, 1, 2, 60,
  ]);
});
