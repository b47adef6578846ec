import { memoizePerIsolate } from "../../../kit/memoize-per-isolate";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../kit/time";

// The first match wins, because a user agent also names the browsers that it claims to be compatible with.
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[0-9.]+ (?:Mobile\/\w+ )?Safari\//, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** Returns the browser and the operating system without versions, such as `Chrome/Windows`, or null when both are unknown. */
export function deviceOf(userAgent: string): string | null {
  const nameIn = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "";
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  return browser || system ? `${browser}/${system}` : null;
}

/**
 * Returns a key that distinguishes a user's devices: the result of deviceOf, plus the hash of the device id if the
 * application sent one. Returns null when neither is known.
 */
export function deviceKey(userAgent: string, deviceHash: string | null): string | null {
  const device = deviceOf(userAgent);
  return deviceHash === null ? device : `${device ?? "/"}#${deviceHash.slice(0, 32)}`;
}

/** Describes a result of deviceOf or deviceKey, such as "Chrome on Windows". Returns an empty string for an unknown device. */
export function describeDevice(device: string, language: "en" | "fr"): string {
  const [browser = "", system = ""] = device.replace(/#.*$/, "").split("/");
  if (!browser || !system) return browser || system;
  return `${browser} ${language === "fr" ? "sur" : "on"} ${system}`;
}

const countryNames = memoizePerIsolate(
  2,
  (language: "en" | "fr") => new Intl.DisplayNames([language], { type: "region", fallback: "none" }),
);

/** Returns the name of a country by its two-letter code, or null for an unknown code such as XX or T1. */
export function describeCountry(code: string | null, language: "en" | "fr"): string | null {
  if (code === null || !/^[A-Z]{2}$/.test(code) || code === "XX") return null;
  return countryNames(language).of(code) ?? null;
}

// Each Intl.DateTimeFormat takes about 30 KB of memory, so they are cached.
const timeFormat = memoizePerIsolate(
  32,
  (language: "en" | "fr", timeZone: string) =>
    new Intl.DateTimeFormat(language === "en" ? "en-GB" : "fr", {
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      timeZone,
      timeZoneName: "short",
    }),
);

/**
 * Formats a time. A no-break space before the time zone name keeps it on the line of the time. French writes the first day of a
 * month as 1er, for which Intl has no form.
 */
function formatTime(time: number, timezone: string, language: "en" | "fr"): string {
  const text = timeFormat(language, timezone)
    .format(time)
    .replace(/ (?=\S+$)/, "\u00a0");
  return language === "fr" ? text.replace(/^1 /, "1er ") : text;
}

/** Formats a time (unix ms) as date, hours, minutes and time zone name. Uses UTC when `timezone` is empty or unknown. */
export function describeTime(time: number, timezone: string, language: "en" | "fr"): string {
  try {
    return formatTime(time, timezone || "UTC", language);
  } catch {
    return formatTime(time, "UTC", language); // the runtime does not know the time zone
  }
}

/** Formats an age (ms) in minutes, hours or days. */
export function describeAge(ms: number, language: "en" | "fr"): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return language === "fr" ? "il y a moins d’une minute" : "less than a minute ago";
  const format = new Intl.RelativeTimeFormat(language);
  if (ms < HOUR_MS) return format.format(-minutes, "minute");
  return ms < DAY_MS
    ? format.format(-Math.floor(ms / HOUR_MS), "hour")
    : format.format(-Math.floor(ms / DAY_MS), "day");
}
