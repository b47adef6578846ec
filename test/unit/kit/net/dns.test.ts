import { describe, expect, it, vi } from "vitest";
import { resolveOverHttps } from "../../../../workers/kit/net/dns";
import { resolveCached } from "../../../../workers/kit/net/dns-cache";
import { checkPublicHost } from "../../../../workers/kit/net/public-address";

const RESOLVER = "https://dns.example.test/dns-query";
const TYPES: Readonly<Record<string, number>> = { A: 1, AAAA: 28 };

type DnsRecord = { type: number; data: unknown; TTL?: number };
type Answer = Record<string, unknown> | Response | Error;

/** Returns a resolver with responses that the test sets, and the queries that it has received. */
function startResolver(answers: { A?: Answer; AAAA?: Answer }) {
  const queries: string[] = [];
  const resolve: typeof fetch = async (input) => {
    const url = new URL(String(input));
    const type = url.searchParams.get("type") ?? "";
    queries.push(`${url.searchParams.get("name")} ${type}`);
    const response = answers[type as "A" | "AAAA"] ?? { Status: 0 };
    if (response instanceof Error) throw response;
    return response instanceof Response ? response.clone() : Response.json(response);
  };
  return { queries, answers, fetch: resolve };
}

const answerOf = (type: "A" | "AAAA", addresses: string[], TTL?: number, extraRecords: DnsRecord[] = []) => ({
  Status: 0,
  Answer: [
    ...extraRecords,
    ...addresses.map((data) => ({ type: TYPES[type], data, ...(TTL === undefined ? {} : { TTL }) })),
  ],
});

/**
 * Returns a clock that the test advances, and a name that no other test uses, because all tests of the process share
 * the cache.
 */
function startCache() {
  let now = 1_767_225_600_000;
  const clock = { now: () => now };
  const name = `${crypto.randomUUID()}.example.test`;
  return {
    name,
    advance: (ms: number) => {
      now += ms;
    },
    resolve: (resolver: ReturnType<typeof startResolver>) => resolveCached(name, RESOLVER, resolver.fetch, clock),
  };
}

describe("DNS results cached in the isolate", () => {
  it("are requested once for IPv4 and once for IPv6, and again after at most 60 s", async () => {
    const { name, advance, resolve } = startCache();
    const resolver = startResolver({
      A: answerOf("A", ["93.184.216.34"], 3600),
      AAAA: answerOf("AAAA", ["2606:2800:220:1::1"], 3600),
    });
    const addresses = ["93.184.216.34", "2606:2800:220:1::1"];
    expect(await resolve(resolver)).toEqual(addresses);
    advance(59_999);
    expect(await resolve(resolver)).toEqual(addresses);
    expect(resolver.queries).toEqual([`${name} A`, `${name} AAAA`]);
    advance(1);
    resolver.answers.A = answerOf("A", ["10.0.0.7"], 3600);
    expect(await resolve(resolver)).toEqual(["10.0.0.7", "2606:2800:220:1::1"]);
    expect(resolver.queries).toHaveLength(4);
  });

  it.each<[string, Answer, Answer, number]>([
    ["of the address family with the shorter TTL", answerOf("A", ["8.8.8.8"], 50), answerOf("AAAA", ["2606::1"], 7), 7],
    [
      "of an alias in the chain",
      answerOf("A", ["8.8.8.8"], 50, [{ type: 5, data: "other.example.test.", TTL: 3 }]),
      { Status: 0 },
      3,
    ],
    ["of the only address family", answerOf("A", ["8.8.8.8"], 20), { Status: 3 }, 20],
  ])("are kept for the TTL %s", async (_title, A, AAAA, seconds) => {
    const { advance, resolve } = startCache();
    const resolver = startResolver({ A, AAAA });
    await resolve(resolver);
    advance(seconds * 1000 - 1);
    await resolve(resolver);
    expect(resolver.queries).toHaveLength(2);
    advance(1);
    await resolve(resolver);
    expect(resolver.queries).toHaveLength(4);
  });

  it.each<[string, Answer]>([
    ["a TTL of 0", answerOf("A", ["8.8.8.8"], 0)],
    ["a negative TTL", answerOf("A", ["8.8.8.8"], -5)],
    ["no TTL", answerOf("A", ["8.8.8.8"])],
    ["no address", { Status: 0, Answer: [] }],
    ["no such name", { Status: 3 }],
  ])("do not include a response with %s", async (_title, A) => {
    const { resolve } = startCache();
    const resolver = startResolver({ A, AAAA: { Status: 3 } });
    await resolve(resolver);
    await resolve(resolver);
    expect(resolver.queries).toHaveLength(4);
  });

  it("do not include failures", async () => {
    const { resolve } = startCache();
    const resolver = startResolver({ A: new Error("down"), AAAA: answerOf("AAAA", ["2606::1"], 60) });
    await expect(resolve(resolver)).rejects.toThrow("down");
    resolver.answers.A = answerOf("A", ["8.8.8.8"], 60);
    expect(await resolve(resolver)).toEqual(["8.8.8.8", "2606::1"]);
  });

  it("include addresses that are not public, so that the host remains rejected", async () => {
    const { name, resolve } = startCache();
    const resolver = startResolver({ A: answerOf("A", ["8.8.8.8"], 60), AAAA: answerOf("AAAA", ["fd00::7"], 60) });
    const check = () => checkPublicHost(name, () => resolve(resolver));
    expect([await check(), await check()]).toEqual([
      { ok: false, reason: "not_public" },
      { ok: false, reason: "not_public" },
    ]);
    expect(resolver.queries).toHaveLength(2);
  });

  it("are limited to a number of names, of which the oldest are removed first", async () => {
    const { resolve } = startCache();
    const resolver = startResolver({ A: answerOf("A", ["8.8.8.8"], 60) });
    await resolve(resolver);
    for (let count = 0; count < 1000; count++) await startCache().resolve(resolver);
    const before = resolver.queries.length;
    await resolve(resolver);
    expect(resolver.queries.length - before).toBe(2);
  });
});

describe("a partial DNS result, which could omit an address that is not public", () => {
  const complete = answerOf("A", ["8.8.8.8"], 60);
  it.each<[string, Answer]>([
    ["the request for one address family fails", { Status: 2 }],
    ["one address family is rejected", { Status: 5 }],
    ["one address family gets no response", new Error("no route")],
    ["HTTP is not 2xx", new Response("{}", { status: 503 })],
    ["the resolver redirects", new Response(null, { status: 302, headers: { location: "https://else.test/" } })],
    ["the response is not JSON", new Response("<html>")],
    ["the response is not DNS", new Response("[]")],
    ["the response is too long", new Response(JSON.stringify({ Status: 0, pad: "x".repeat(70_000) }))],
    ["the response is truncated", { ...answerOf("AAAA", ["2606::1"], 60), TC: true }],
  ])("is rejected when %s", async (_title, AAAA) => {
    const resolver = startResolver({ A: complete, AAAA });
    await expect(resolveOverHttps("hooks.example.test", RESOLVER, resolver.fetch)).rejects.toThrow();
    const check = await checkPublicHost("hooks.example.test", (name) =>
      resolveOverHttps(name, RESOLVER, resolver.fetch),
    );
    expect(check).toEqual({ ok: false, reason: "unresolved" });
  });

  it("times out after 5 s when the resolver does not respond", async () => {
    vi.useFakeTimers();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException("late", "TimeoutError")), ms);
      return controller.signal;
    });
    try {
      const silentFetch: typeof fetch = (_input, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        });
      const result = resolveOverHttps("hooks.example.test", RESOLVER, silentFetch).catch((error: Error) => error.name);
      await vi.advanceTimersByTimeAsync(4999);
      expect(await Promise.race([result, Promise.resolve("waiting")])).toBe("waiting");
      await vi.advanceTimersByTimeAsync(1);
      expect(await result).toBe("TimeoutError");
    } finally {
      timeout.mockRestore();
      vi.useRealTimers();
    }
  });

  it("queries exactly the given name for any characters in it", async () => {
    const resolver = startResolver({ A: complete });
    await resolveOverHttps("a&type=MX#x.test", `${RESOLVER}?ct=json`, resolver.fetch);
    expect(resolver.queries).toEqual(["a&type=MX#x.test A", "a&type=MX#x.test AAAA"]);
  });
});
