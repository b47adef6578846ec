import { memoizePerIsolate } from "./memoize-per-isolate";

/** Durations in milliseconds. */
export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the start of the UTC day, in unix milliseconds. */
export function dayStart(ms: number): number {
  return ms - (ms % DAY_MS);
}

/** Returns unix milliseconds as ISO 8601 in UTC, the format of API responses; returns null for null. */
export function iso<T extends number | null>(at: T): T extends null ? null : string;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

const zoneFormat = memoizePerIsolate(64, (timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }));

/** Returns whether the runtime knows a time zone, such as `Europe/Paris`. */
export function isTimeZone(name: string): boolean {
  try {
    zoneFormat(name);
    return true;
  } catch {
    return false; // Intl throws a RangeError for an unknown time zone.
  }
}
