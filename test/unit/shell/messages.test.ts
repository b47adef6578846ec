import { describe, expect, test, vi } from "vitest";
import { createCoalescer, createRateLimit, readEnvelope } from "../../../shell/client/src/messages/envelope.ts";
import { patchOf } from "../../../shell/client/src/messages/patch.ts";
import { readNumber, readOptional, readText } from "../../../shell/client/src/messages/read.ts";
import { readStorageCall } from "../../../shell/client/src/messages/storage/storage-request.ts";

describe("an envelope", () => {
  test("is accepted when it is a message of the platform", () => {
    expect(readEnvelope({ type: "PLATFORM_BADGE", v: 1, payload: { count: 1 } })).toEqual({
      type: "PLATFORM_BADGE",
      payload: { count: 1 },
    });
    expect(readEnvelope({ type: "PLATFORM_INITIALIZED", v: 1 })).toEqual({ type: "PLATFORM_INITIALIZED", payload: {} });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each([
    null,
    undefined,
    1,
    "PLATFORM_BADGE",
    [],
    {},
    { type: "PLATFORM_BADGE" },
    { type: "PLATFORM_BADGE", v: 2 },
    { type: "OTHER", v: 1 },
    { type: 7, v: 1 },
    { type: "PLATFORM_BADGE", v: "1" },
    { type: "PLATFORM_X", v: 1, payload: cycle },
    { type: "PLATFORM_X", v: 1, payload: 1n },
    { type: "PLATFORM_X", v: 1, payload: "x".repeat(64_001) },
  ])("is ignored when it is invalid (%#)", (data) => {
    expect(readEnvelope(data)).toBeNull();
  });
});

test("rejects an invalid optional field and accepts an absent or empty one", () => {
  const read = (fields: object) =>
    readOptional(
      { ...fields },
      {
        text: (value) => readText(value, 5),
        number: (value) => readNumber(value, 0, 9),
      },
    );
  expect(read({ text: "a", number: 0, other: 1 })).toEqual({ text: "a", number: 0 });
  expect(read({ text: "", number: undefined })).toEqual({});
  for (const wrong of [{ text: 5 }, { text: "longer" }, { text: null }, { number: "x" }, { number: 10 }])
    expect(read({ text: "a", ...wrong })).toBeUndefined();
});

test("accepts a hundred messages per second, and drops the others with one warning", () => {
  const limit = createRateLimit(100, 1000);
  const results = Array.from({ length: 250 }, (_, index) => limit(index));
  expect(results.filter(({ pass }) => pass)).toHaveLength(100);
  expect(results.filter(({ isFirst }) => isFirst)).toHaveLength(1);
  expect(limit(1000).pass).toBe(true);
});

test("limits reports to ten per second, and keeps the last one", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    const received: number[] = [];
    const report = createCoalescer((value: number) => received.push(value), 100);
    for (let at = 0; at < 50; at += 1) {
      report(at);
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(200);
    expect(received.length).toBeLessThanOrEqual(6);
    expect(received[0]).toBe(0);
    expect(received.at(-1)).toBe(49);
  } finally {
    vi.useRealTimers();
  }
});

test("writes changed keys into a patch, with null for removed keys", () => {
  const last = {
    region: { timeZone: "UTC" },
    developer: { enabled: true },
    storage: { url: "https://s.example", filesUrl: null },
  };
  expect(patchOf(last, structuredClone(last))).toBeUndefined();
  expect(patchOf(last, { region: { timeZone: "Europe/Paris" }, developer: { enabled: true } })).toEqual({
    region: { timeZone: "Europe/Paris" },
    storage: null,
  });
});

describe("a storage request", () => {
  test.each([
    [{ op: "listBuckets" }, "GET", "bucket"],
    [{ op: "list", bucket: "company", prefix: "a b" }, "POST", "object/list/company"],
    [{ op: "upload", bucket: "company", path: "/a b/c?.txt", body: "x" }, "POST", "object/company/a%20b/c%3F.txt"],
    [{ op: "download", bucket: "company", path: "a#b" }, "GET", "object/company/a%23b"],
    [{ op: "remove", bucket: "company", paths: ["a"] }, "DELETE", "object/company"],
    [{ op: "folderStats", bucket: "company", path: "a&b" }, "GET", "object/prefix/company?prefix=a%26b"],
  ])("is built from its fields: %j", (fields, method, path) => {
    expect(readStorageCall(fields)).toMatchObject({ method, path });
  });

  test.each([
    {},
    { op: "drop", bucket: "company" },
    { op: "toString", bucket: "company" },
    { op: "list" },
    { op: "list", bucket: "../admin" },
    { op: "get", bucket: "company", path: "../../bucket" },
    { op: "get", bucket: "company", path: "" },
    { op: "get", bucket: "company", path: "a/../b" },
    { op: "upload", bucket: "company", path: "a", body: 7 },
    { op: "remove", bucket: "company", paths: [] },
    { op: "remove", bucket: "company", paths: [1] },
    { op: "move", bucket: "company", from: "a" },
  ])("is rejected for %j", (fields) => {
    expect(readStorageCall(fields)).toBeUndefined();
  });
});
