import { expect, it } from "vitest";
import {
  describeAge,
  describeCountry,
  describeDevice,
  describeTime,
  deviceOf,
} from "../../../workers/identity/caller/client/device";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge/Windows"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/140.0.0.0 Safari/537.36`, "Chrome/ChromeOS"],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet/Android",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox/Linux"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Safari/iPhone",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
    "Safari/macOS",
  ],
  ["okhttp/4.12 (Android)", "/Android"],
  ["curl/8.5.0", null],
  ["", null],
])("recognizes browser and operating system in the user agent %s", (agent, device) => {
  expect(deviceOf(agent)).toBe(device);
});

it("describes devices, countries, times and ages in English and French", () => {
  expect(describeDevice("Chrome/Windows", "en")).toBe("Chrome on Windows");
  expect(describeDevice("Chrome/Windows", "fr")).toBe("Chrome sur Windows");
  expect(describeDevice("/Android", "fr")).toBe("Android");
  expect([describeCountry("DE", "fr"), describeCountry("DE", "en")]).toEqual(["Allemagne", "Germany"]);
  for (const unknownCountry of [null, "XX", "T1", "<b>"]) expect(describeCountry(unknownCountry, "en")).toBeNull();
  const time = Date.UTC(2026, 10, 22, 16, 5);
  expect(describeTime(time, "", "en")).toBe("22 November 2026 at 16:05\u00a0UTC");
  expect(describeTime(time, "Europe/Paris", "fr")).toContain("22 novembre 2026");
  expect(describeTime(time, "No/Where", "fr")).toContain("UTC");
  expect(describeTime(Date.UTC(2026, 11, 1), "", "fr")).toMatch(/^1er décembre 2026/);
  const minute = 60_000;
  expect([-5, 59, 61 * 60, 50 * 3600].map((seconds) => describeAge(seconds * 1000, "en"))).toEqual([
    "less than a minute ago",
    "less than a minute ago",
    "1 hour ago",
    "2 days ago",
  ]);
  expect(describeAge(3 * minute, "fr")).toBe("il y a 3 minutes");
});
