import { describe, expect, test } from "vitest";
import { relativeTime } from "../../../../shell/client/src/settings/account/relative-time.ts";
import { readUserAgent } from "../../../../shell/client/src/settings/account/user-agent.ts";
import { formatBytes, quotaLevel, readQuotas } from "../../../../shell/client/src/settings/storage/quota.ts";

describe("a quota", () => {
  test("is read for company and user, with null for no limit", () => {
    const company = { used_bytes: 5, max_bytes: null, remaining_bytes: null };
    const user = { used_bytes: 12, max_bytes: 10, remaining_bytes: 0 };
    expect(readQuotas({ company, user })).toEqual({
      company: { used: 5, max: null, free: null },
      user: { used: 12, max: 10, free: 0 },
    });
    expect(readQuotas({ company: "much" })).toEqual({ company: null, user: null });
    expect(readQuotas(null)).toEqual({ company: null, user: null });
  });

  test("warns from 90 % and is full at 100 %", () => {
    const levelOf = (used: number, max: number | null) => quotaLevel({ used, max, free: null });
    expect([
      levelOf(89, 100),
      levelOf(90, 100),
      levelOf(99, 100),
      levelOf(100, 100),
      levelOf(120, 100),
      levelOf(1e15, null),
    ]).toEqual(["fine", "nearly", "nearly", "full", "full", "fine"]);
  });

  test("is formatted in units of 1,024, like the flags of the command that sets it", () => {
    const sizes = [0, 1023, 1536, 1024 ** 2 - 1, 10 * 1024 ** 3, 10.26 * 1024 ** 3, 1024 ** 4, 100_000 * 1024 ** 5];
    expect(sizes.map((bytes) => formatBytes(bytes, "en"))).toEqual([
      "0 bytes",
      "1,023 bytes",
      "1.5 kB",
      "1 MB",
      "10 GB",
      "10.3 GB",
      "1 TB",
      "100,000 PB",
    ]);
    expect(formatBytes(1536, "fr")).toMatch(/^1,5\sko$/);
    expect(formatBytes(10 * 1024 ** 3, "fr")).toMatch(/^10\sGo$/);
  });
});

test("formats relative times", () => {
  const now = Date.UTC(2026, 0, 10);
  const textAfter = (seconds: number) => relativeTime(now - seconds * 1000, now, "en");
  expect([0, 59, 60, 7200, 86_400, 864_000].map(textAfter)).toEqual([
    "now",
    "now",
    "1 minute ago",
    "2 hours ago",
    "yesterday",
    "10 days ago",
  ]);
});

test("recognizes the browser and operating system in a user agent", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
  const safari =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604.1";
  expect(readUserAgent(chrome)).toEqual({ browser: "Chrome", system: "Linux" });
  expect(readUserAgent(`${chrome} Edg/140.0`)).toEqual({ browser: "Edge", system: "Linux" });
  expect(readUserAgent(safari)).toEqual({ browser: "Safari", system: "iOS" });
  expect(readUserAgent("curl/8")).toEqual({ browser: null, system: null });
});
