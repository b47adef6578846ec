import { afterEach, expect, test } from "vitest";
import { clock } from "../../../workers/kit/clock";
import { idBefore, uuid } from "../../../workers/kit/ids";
import { idsOfNumber, numberOfId, timeOfId } from "../../../workers/kit/webhooks/events/event-key";

const realNow = clock.now;
afterEach(() => {
  clock.now = realNow;
});

const isWithin = (id: string, { above, below }: { above: string; below: string }) => id > above && id < below;

test("encodes time and sequence of an event id in an integer, which matches only that id within an isolate", () => {
  for (const ms of [Date.UTC(2020, 0, 1), Date.UTC(2026, 10, 22, 13, 37), Date.UTC(2089, 0, 1)]) {
    clock.now = () => ms;
    const ids = Array.from({ length: 2000 }, uuid);
    const numbers = ids.map(numberOfId);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
    expect(numbers.every((number) => number >= 0)).toBe(true);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
    expect(new Set(numbers).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    expect(timeOfId(ids[0] ?? "")).toBe(ms);
    const [first = "", second = ""] = ids;
    expect(isWithin(first, idsOfNumber(numberOfId(first)))).toBe(true);
    expect(isWithin(second, idsOfNumber(numberOfId(first)))).toBe(false);
  }
});

test("sorts an event id after the prefixes of its own and earlier times, and before the prefix of a later time", () => {
  const ms = Date.UTC(2026, 10, 22);
  clock.now = () => ms;
  const id = uuid();
  expect([idBefore(ms) < id, idBefore(ms - 1) < id, idBefore(ms + 1) < id]).toEqual([true, true, false]);
  expect(idBefore(-5)).toBe("00000000-0000");
  expect(idBefore(Number.MAX_SAFE_INTEGER)).toBe("ffffffff-ffff");
});

test("returns no range for an integer that belongs to no event", () => {
  const id = uuid();
  expect(isWithin(id, idsOfNumber(null))).toBe(false);
  for (const number of [1, 2 ** 40, Number.MAX_SAFE_INTEGER]) expect(isWithin(id, idsOfNumber(number))).toBe(false);
});

test("creates ids with version 7, the variant of RFC 9562, and shard 0", () => {
  expect(uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-80[0-3][0-9a-f]-[0-9a-f]{12}$/);
  expect(new Set(Array.from({ length: 5000 }, uuid)).size).toBe(5000);
});
