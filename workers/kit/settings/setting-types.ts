import * as z from "zod";
import { base64ToBytes } from "../crypto/encoding";
import type { SettingType } from "./settings";

/** A rate limit: `limit` calls in any `windowMs` milliseconds. */
export type Rate = { limit: number; windowMs: number };

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the schema of a setting type. `read` returns undefined for a value that is not allowed. The error then
 * contains only the description `allowed`, or `ifMissing` for a required variable that is unset.
 */
export function schemaOf<T>(
  allowed: string,
  read: (text: string) => T | undefined,
  ifMissing?: string,
): z.ZodType<T, string> {
  const schema = z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: allowed });
    return z.NEVER;
  });
  return schema.meta({ description: allowed, ifMissing });
}

/** Any text. */
export const text: SettingType<string> = () => schemaOf("any text", (input) => input);

/** `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off` in any case. */
export const flag: SettingType<boolean> = () =>
  schemaOf("true or false", (input) => {
    if (/^(?:true|1|yes|on)$/i.test(input)) return true;
    return /^(?:false|0|no|off)$/i.test(input) ? false : undefined;
  });

/** An integer from `min` to `max`, both included. The result is multiplied by `unit`. */
export const integer =
  (min: number, max: number, unit = 1): SettingType<number> =>
  () =>
    schemaOf(`an integer from ${min} to ${max}`, (input) => {
      const value = /^-?\d{1,15}$/.test(input) ? Number(input) : Number.NaN;
      return value >= min && value <= max ? value * unit : undefined;
    });

/** A number of seconds from `min` to `max`; the value is in milliseconds. */
export const seconds = (min: number, max: number): SettingType<number> => integer(min, max, SECOND_MS);

/** A number of hours from `min` to `max`; the value is in milliseconds. */
export const hours = (min: number, max: number): SettingType<number> => integer(min, max, HOUR_MS);

const DURATION_UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/**
 * A duration: a number above 0 with the unit s, m, h or d, or seconds without a unit. The value and the bounds are in
 * milliseconds.
 */
export const duration =
  ({ min, max }: { min?: number; max?: number } = {}): SettingType<number> =>
  () => {
    return schemaOf(describeDuration(min, max), (input) => {
      const match = /^(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)$/.exec(input);
      const unit = (match?.[2] || "s") as keyof typeof DURATION_UNITS;
      const ms = match === null ? 0 : Math.round(Number(match[1]) * DURATION_UNITS[unit]);
      return ms > 0 && ms >= (min ?? 0) && ms <= (max ?? Number.MAX_SAFE_INTEGER) ? ms : undefined;
    });
  };

/** Describes the allowed durations: "a duration from 1m to 1h", "a duration above 0, such as 30s, 5m, 1.5h or 7d". */
function describeDuration(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `a duration from ${formatDuration(min)} to ${formatDuration(max)}`;
  const from = min === undefined ? "above 0" : `of at least ${formatDuration(min)}`;
  const to = max === undefined ? "" : ` and at most ${formatDuration(max)}`;
  return `a duration ${from}${to}, such as 30s, 5m, 1.5h or 7d`;
}

/** Formats milliseconds in the largest unit that gives an integer: `1h`, `90s`. */
function formatDuration(ms: number): string {
  const units = Object.entries(DURATION_UNITS).toReversed();
  const [unit, unitMs] = units.find(([, size]) => ms % size === 0) ?? ["s", SECOND_MS];
  return `${ms / unitMs}${unit}`;
}

const SIZE_UNITS = ["", "k", "m", "g", "t"];

/**
 * Returns the number of bytes of a text such as `64K`: an integer with an optional K, M, G or T (also KB, KiB, …), in
 * multiples of 1,024. Returns null for any other text.
 */
export function readSize(text: string): number | null {
  const match = /^(\d{1,16})(?:([kmgt])(?:i?b)?)?$/.exec(text.toLowerCase());
  const bytes = match === null ? Number.NaN : Number(match[1]) * 1024 ** SIZE_UNITS.indexOf(match[2] ?? "");
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** A number of bytes from `min` to `max`, in the format of readSize. */
export const size =
  (min = 0, max = Number.MAX_SAFE_INTEGER): SettingType<number> =>
  () => {
    const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    return schemaOf(`a number of bytes ${range}, such as 500, 64K, 95M, 10G or 1T`, (input) => {
      const bytes = readSize(input);
      return bytes !== null && bytes >= min && bytes <= max ? bytes : undefined;
    });
  };

const RATE_WINDOWS = { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS } as const;

/**
 * A rate: a number of calls per `s`, `min` or `h`, or per several of these units (`5/10min`). `off` is null and allowed only
 * in debug mode.
 */
export const rate: SettingType<Rate | null> = ({ debug }) =>
  schemaOf(`a rate per s, min or h, such as 10/min or 5/10min${debug ? ", or off" : ""}`, (input) => {
    if (debug && input === "off") return null;
    const match = /^([1-9]\d{0,8})\/([1-9]\d{0,2})?(s|min|h)$/.exec(input);
    if (match === null) return undefined;
    const unitMs = RATE_WINDOWS[match[3] as keyof typeof RATE_WINDOWS];
    return { limit: Number(match[1]), windowMs: Number(match[2] ?? 1) * unitMs };
  });

/** One of a fixed set of words. */
export const choice =
  <const T extends string>(...choices: readonly T[]): SettingType<T> =>
  () =>
    schemaOf(choices.join(", "), (input) => choices.find((candidate) => candidate === input));

const entriesOf = (input: string): string[] =>
  input
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** A comma-separated list. Entries are trimmed; empty entries are dropped. */
export const list: SettingType<string[]> = () => schemaOf("a comma-separated list", entriesOf);

/** A comma-separated list. `*` means all, as does an empty list; the value is then empty. */
export const listOrAll: SettingType<string[]> = () =>
  schemaOf("a comma-separated list, or *", (input) => {
    const entries = entriesOf(input);
    return entries.includes("*") ? [] : entries;
  });

/** A comma-separated list whose entries have the type `entry`. */
export const listOf =
  <T>(entry: SettingType<T>): SettingType<T[]> =>
  (mode) => {
    const schema = entry(mode);
    const entries = z.string().transform(entriesOf).pipe(z.array(schema));
    return entries.describe(`a comma-separated list; each entry is ${schema.description}`);
  };

/**
 * A base URL: an origin and an optional path, without trailing slash, query, fragment or credentials. It must use
 * https; http is allowed in debug mode.
 */
export const baseUrl: SettingType<string> = ({ debug }) =>
  schemaOf(`an ${debug ? "http or https" : "https"} URL without trailing slash, query or fragment`, (input) => {
    const isBase = /^https?:\/\/[^\s\\?#@]+[^\s\\?#@/]$/i.test(input) && URL.canParse(input);
    return isBase && (debug || new URL(input).protocol === "https:") ? input : undefined;
  });

/** Any https URL; http is allowed in debug mode. */
export const url: SettingType<string> = ({ debug }) =>
  schemaOf(debug ? "an http or https URL" : "an https URL", (input) => {
    const { protocol } = URL.canParse(input) ? new URL(input) : { protocol: "" };
    return protocol === "https:" || (debug && protocol === "http:") ? input : undefined;
  });

const keyOf = (allowed: string, isLength: (length: number) => boolean) =>
  schemaOf(
    allowed,
    (input) => {
      const bytes = decodeBase64(input);
      return bytes !== undefined && isLength(bytes.length) ? bytes : undefined;
    },
    allowed,
  );

/** Base64 of 32 bytes. */
export const base64Key: SettingType<Uint8Array<ArrayBuffer>> = () =>
  keyOf("base64 of 32 bytes", (length) => length === 32);

/** Base64 of 32 bytes or more. */
export const longBase64Key: SettingType<Uint8Array<ArrayBuffer>> = () =>
  keyOf("base64 of at least 32 bytes", (length) => length >= 32);

function decodeBase64(input: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return base64ToBytes(input);
  } catch {
    // Returning undefined drops the error, which could quote the secret.
    return undefined;
  }
}
