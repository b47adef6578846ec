import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { services } from "../../../../scripts/support/services";
import type { ClaimedRow } from "../../../../workers/kit/webhooks/dispatch/claim.store";
import { type Claimed, type LoopOptions, runLoop } from "../../../../workers/kit/webhooks/dispatch/loop";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const row = (seq: number) => ({ seq, rule_id: seq, host: `${seq}.example.com`, due_at: seq }) as ClaimedRow;

/** Runs a loop of first attempts for 25 s with receivers that never respond. */
function loop(claim: () => Claimed, overrides: Partial<LoopOptions> = {}): Promise<string> {
  return runLoop({
    concurrency: 4,
    chunk: 50,
    deadline: Date.now() + 25_000,
    budget: 900,
    now: () => Date.now(),
    claim: async () => claim(),
    whenLimited: "wait",
    attempt: () => new Promise((resolve) => setTimeout(() => resolve(null), 5000)),
    release: () => {
      throw new Error("nothing is released here");
    },
    store: async () => 0,
    ...overrides,
  });
}

it("claims again at growing intervals while limits block its rows, and ends at its deadline", async () => {
  const claimTimes: number[] = [];
  const startedAt = Date.now();
  const ended = loop(() => {
    claimTimes.push(Date.now() - startedAt);
    return { rows: [], isMore: true, statements: 3 };
  });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await ended).toBe("deadline");
  expect(claimTimes).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500]);
});

it("acknowledges its queue message as soon as all rows are claimed, even while rows wait for their slots", async () => {
  const startedRows: number[] = [];
  let isQuiet = false;
  const ended = loop(() => ({ rows: Array.from({ length: 10 }, (_, seq) => row(seq)), isMore: false, statements: 3 }), {
    attempt: ({ seq }) => {
      startedRows.push(seq);
      return new Promise((end) => setTimeout(() => end(null), 5000));
    },
    onQuiet: () => {
      isQuiet = true;
    },
  });
  await vi.advanceTimersByTimeAsync(10);
  expect([isQuiet, startedRows.length]).toEqual([true, 4]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([await ended, startedRows.length]).toEqual(["empty", 10]);
});

it.each(services)("%s acknowledges queue messages without waiting for receivers", (service) => {
  const text = readFileSync(new URL(`../../../../workers/${service}/wrangler.toml`, import.meta.url), "utf8");
  const hasConsumer = text.includes(`[[queues.consumers]]\nqueue = "webhooks-${service}"`);
  const flags = /^compatibility_flags = (.*)$/m.exec(text)?.[1];
  expect([hasConsumer, flags?.includes('"queue_consumer_no_wait_for_wait_until"')]).toEqual([true, true]);
});
