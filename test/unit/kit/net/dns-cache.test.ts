import { describe, expect, it } from "vitest";
import { resolveCached } from "../../../../workers/kit/net/dns-cache";

const RESOLVER = "https://resolver.example.test/dns-query";

/** Returns a resolver with these records by type, a cache with its own clock, and the number of queries. */
function resolver(
  answers: { A?: [string, number | undefined][]; AAAA?: [string, number][] },
  name = crypto.randomUUID(),
) {
  let now = 1_000_000;
  const state = { queries: 0, status: 200, answers };
  const fetch = (async (input: URL) => {
    state.queries += 1;
    const type = input.searchParams.get("type") === "AAAA" ? "AAAA" : "A";
    const records = (state.answers[type] ?? []).map(([data, TTL]) => ({
      name,
      type: type === "A" ? 1 : 28,
      TTL,
      data,
    }));
    return Response.json({ Status: 0, Answer: records }, { status: state.status });
  }) as unknown as typeof globalThis.fetch;
  return {
    state,
    advance: (ms: number) => {
      now += ms;
    },
    look: () => resolveCached(name, RESOLVER, fetch, { now: () => now }),
  };
}

describe("cached DNS records", () => {
  it("are kept for the shortest TTL of the records", async () => {
    const { state, advance, look } = resolver({ A: [["93.184.216.34", 20]], AAAA: [["2606:2800::1", 5]] });
    expect(await look()).toEqual(["93.184.216.34", "2606:2800::1"]);
    advance(4999);
    expect(await look()).toEqual(["93.184.216.34", "2606:2800::1"]);
    expect(state.queries).toBe(2);
    advance(1);
    state.answers = { A: [["10.0.0.1", 20]] };
    expect(await look()).toEqual(["10.0.0.1"]);
    expect(state.queries).toBe(4);
  });

  it("are kept for at most 60 s", async () => {
    const { state, advance, look } = resolver({ A: [["93.184.216.34", 86_400]] });
    await look();
    advance(59_999);
    await look();
    expect(state.queries).toBe(2);
    advance(1);
    await look();
    expect(state.queries).toBe(4);
  });

  it("are requested again after an empty result, a zero TTL or a failure", async () => {
    const emptyResolver = resolver({});
    expect([await emptyResolver.look(), await emptyResolver.look()]).toEqual([[], []]);
    expect(emptyResolver.state.queries).toBe(4);
    const brief = resolver({ A: [["93.184.216.34", undefined]] });
    await brief.look();
    await brief.look();
    expect(brief.state.queries).toBe(4);
    const failingResolver = resolver({ A: [["93.184.216.34", 60]] });
    failingResolver.state.status = 503;
    await expect(failingResolver.look()).rejects.toThrow("HTTP 503");
    failingResolver.state.status = 200;
    expect(await failingResolver.look()).toEqual(["93.184.216.34"]);
  });
});
