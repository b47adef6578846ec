import { base64ToBytes } from "./crypto/encoding";

/** A rate limit: `limit` calls in any `windowMs` milliseconds. */
export type Rate = { limit: number; windowMs: number };

/** A missing or malformed setting; the message names the setting and what is allowed, never its value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly setting: string;
  constructor(setting: string, allowed: string) {
    super(`invalid setting: ${setting}, allowed: ${allowed}`);
    this.setting = setting;
  }
}

/** The deployment lacks what it cannot be without: every request is refused, health included. The message is logged as it is. */
export class DeploymentError extends Error {
  override readonly name = "DeploymentError";
}

/** The trimmed text of a variable; numbers and booleans of wrangler.toml become text, everything else is unset (""). */
export function settingText(raw: unknown): string {
  if (typeof raw === "string") return raw.trim();
  return typeof raw === "number" || typeof raw === "boolean" ? String(raw) : "";
}

/** The text of a variable, or `fallback` when it is unset or blank. */
export function withDefault(raw: unknown, fallback: string): string {
  return settingText(raw) || fallback;
}

/** The text of a variable that must be set. */
export function required(name: string, raw: unknown, allowed = "a value (required)"): string {
  const text = settingText(raw);
  if (text === "") throw new SettingError(name, allowed);
  return text;
}

const DURATION_UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration in milliseconds: a number > 0 with optional s, m, h or d, bare = seconds (identity details 1.4). Bounds in milliseconds. */
export function parseDuration(name: string, raw: unknown, bounds: { min?: number; max?: number } = {}): number {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = bounds;
  const match = /^(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)$/.exec(settingText(raw));
  const unit = (match?.[2] || "s") as keyof typeof DURATION_UNITS;
  const ms = match === null ? 0 : Math.round(Number(match[1]) * DURATION_UNITS[unit]);
  if (ms <= 0 || ms < min || ms > max) throw new SettingError(name, `${describeDuration(bounds)}`);
  return ms;
}

function describeDuration({ min, max }: { min?: number; max?: number }): string {
  const range = [min === undefined ? "" : ` from ${min / 1000}s`, max === undefined ? "" : ` to ${max / 1000}s`].join(
    "",
  );
  return `a duration > 0 such as 30, 30s, 5m, 1.5h or 7d${range}`;
}

const RATE_WINDOWS = { s: 1000, min: 60_000, h: 3_600_000 } as const;

/** A rate `<n>/<s|min|h>` with n >= 1; `off` is null and allowed in debug only (identity details 1.4). */
export function parseRate(name: string, raw: unknown, { debug }: { debug: boolean }): Rate | null {
  const text = settingText(raw);
  if (debug && text === "off") return null;
  const match = /^([1-9]\d{0,8})\/(s|min|h)$/.exec(text);
  if (match === null) throw new SettingError(name, `<n>/<s|min|h> with n >= 1${debug ? ", or off" : ""}`);
  return { limit: Number(match[1]), windowMs: RATE_WINDOWS[match[2] as keyof typeof RATE_WINDOWS] };
}

/** `true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off` in any case. */
export function parseBoolean(name: string, raw: unknown): boolean {
  const text = settingText(raw).toLowerCase();
  if (["true", "1", "yes", "on"].includes(text)) return true;
  if (["false", "0", "no", "off"].includes(text)) return false;
  throw new SettingError(name, "true or false");
}

/** An integer of `min` to `max`, both included. */
export function parseInteger(name: string, raw: unknown, { min, max }: { min: number; max: number }): number {
  const text = settingText(raw);
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new SettingError(name, `an integer from ${min} to ${max}`);
  return value;
}

/** A comma separated list, trimmed and without empty entries. */
export function parseList(raw: unknown): string[] {
  const entries = settingText(raw).split(",");
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** One of a fixed set of words. */
export function parseChoice<const T extends string>(name: string, raw: unknown, choices: readonly T[]): T {
  const text = settingText(raw);
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new SettingError(name, choices.join(", "));
  return choice;
}

/** A base URL: origin and optional path, no trailing slash, query, fragment or credentials; https, in debug also http. */
export function parseUrlBase(name: string, raw: unknown, { debug }: { debug: boolean }): string {
  const text = settingText(raw);
  const url = /^https?:\/\/[^\s\\?#@]+[^\s\\?#@/]$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !(url.protocol === "https:" || debug)) {
    const scheme = debug ? "http or https" : "https";
    throw new SettingError(name, `an ${scheme} URL without trailing slash, query or fragment`);
  }
  return text;
}

/** Base64 of exactly 32 bytes, or of at least 32 with `orMore`. */
export function parseBase64Key(name: string, raw: unknown, { orMore = false } = {}): Uint8Array<ArrayBuffer> {
  const allowed = `base64 of ${orMore ? "at least " : ""}32 bytes`;
  const bytes = decodeBase64(name, required(name, raw, allowed), allowed);
  if (bytes.length < 32 || (bytes.length > 32 && !orMore)) throw new SettingError(name, allowed);
  return bytes;
}

function decodeBase64(name: string, text: string, allowed: string): Uint8Array<ArrayBuffer> {
  try {
    return base64ToBytes(text);
  } catch {
    // The cause could quote the secret, so the named error stands alone.
    throw new SettingError(name, allowed);
  }
}

/** Runs `build` once for each env object, so that settings are parsed once in an isolate. A thrown error is not kept. */
export function oncePerIsolate<E extends object, T>(build: (env: E) => T): (env: E) => T {
  const built = new WeakMap<E, { value: T }>();
  return (env) => {
    const kept = built.get(env) ?? { value: build(env) };
    built.set(env, kept);
    return kept.value;
  };
}

/**
 * As `oncePerIsolate` for asynchronous work such as importing keys. It keeps the value and never the promise: a Worker
 * may not wait for a promise of another request. Requests that start together may therefore each build.
 */
export function oncePerIsolateAsync<E extends object, T>(build: (env: E) => Promise<T>): (env: E) => Promise<T> {
  const built = new WeakMap<E, { value: T }>();
  return async (env) => {
    const kept = built.get(env) ?? { value: await build(env) };
    built.set(env, kept);
    return kept.value;
  };
}
