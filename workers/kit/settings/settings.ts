import type * as z from "zod";
import { flag } from "./setting-types";

/** A missing or malformed setting. The message contains the name and the allowed values, but never the value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly setting: string;
  constructor(setting: string, allowed: string) {
    super(`invalid setting: ${setting}, allowed: ${allowed}`);
    this.setting = setting;
  }
}

/**
 * The deployment lacks something essential, so the service rejects every request, including health checks. The message
 * is logged unchanged.
 */
export class DeploymentError extends Error {
  override readonly name = "DeploymentError";
}

/**
 * The mode of the Worker. With `debug`, types may allow values that are forbidden in production, such as http instead
 * of https.
 */
export type Mode = { debug: boolean };

/**
 * Returns the schema that parses the trimmed text of a variable. The description of the schema lists the allowed
 * values.
 */
export type SettingType<T> = (mode: Mode) => z.ZodType<T, string>;

/** Returns the text of another variable of the table, or of its default. */
type TextOf = (name: string) => string;

/**
 * A default that depends on other variables. docs/settings.md prints it as `shown`. When `text` returns null, the
 * variable is required.
 */
type DerivedDefault = { readonly shown: string; readonly text: (textOf: TextOf, mode: Mode) => string | null };

/**
 * The kind of a secret. `given` secrets are provided by the person who deploys; `npm start` and `npm run deploy` generate the
 * others.
 */
export type SecretKind = "random bytes" | "RSA key" | "service key" | "operator key" | "given";

/** One variable of a Worker. */
export type Setting<T = unknown> = {
  readonly name: string;
  readonly type: SettingType<T>;
  /** as written in wrangler.toml; when there is no default, an unset variable is null */
  readonly default?: string | DerivedDefault;
  /** Markdown, for docs/settings.md */
  readonly meaning: string;
  /** absent when the variable is not a secret */
  readonly secret?: SecretKind;
};

/** Settings, keyed by their name in the code. A group is a nested table. */
export type SettingsTable = { readonly [key: string]: Setting | SettingsTable };

/** The values of a table, with the same nesting. */
export type SettingsOf<T> =
  T extends Setting<infer Value>
    ? T extends { readonly default: unknown }
      ? Value
      : Value | null
    : { -readonly [Key in keyof T]: SettingsOf<T[Key]> };

type NameOf<T> = T extends { readonly name: infer Name extends string } ? Name : NameOf<T[keyof T]>;

/** The variables of a table as texts in the env of a Worker. */
export type VariablesOf<T> = { [Name in NameOf<T>]?: string | undefined };

/** The default of a required variable. */
export const required: DerivedDefault = { shown: "**required**", text: () => null };

/** The default of a variable that is required unless `DEBUG` is set. */
export const requiredUnlessDebug = (text: string, shown = `\`${text}\``): DerivedDefault => ({
  shown: `**required**, with \`DEBUG\` ${shown}`,
  text: (_textOf, { debug }) => (debug ? text : null),
});

/** The default of a variable that equals another variable. */
export const sameAs = (name: string): DerivedDefault => ({ shown: `\`${name}\``, text: (textOf) => textOf(name) });

/** The variable that sets the mode. Every Worker has it. */
export const debugSetting = {
  name: "DEBUG",
  type: flag,
  default: "false",
  meaning: "Development mode: allows http URLs, rates `off` and a missing broker. Never true in a deployment",
} as const satisfies Setting;

const isSetting = (entry: Setting | SettingsTable): entry is Setting => typeof entry.name === "string";

/** Returns the variables of a table in order, without duplicates. */
export function listSettings(table: SettingsTable): Setting[] {
  const settings = Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)));
  return [...new Map(settings.map((setting) => [setting.name, setting])).values()];
}

/** Reads all variables of a table. Throws a SettingError for the first missing or malformed one. */
export function readSettings<const T extends SettingsTable>(table: T, env: object): SettingsOf<T> {
  const byName = new Map(listSettings(table).map((setting) => [setting.name, setting]));
  const mode = { debug: readSetting(debugSetting, env, { debug: false }, () => "") === true };
  const textOf: TextOf = (name) => {
    const setting = byName.get(name);
    if (setting === undefined) throw new TypeError(`${name} is not a setting of this table`);
    return findText(setting, env, mode, textOf) ?? "";
  };
  const read = (entry: Setting | SettingsTable): unknown =>
    isSetting(entry)
      ? readSetting(entry, env, mode, textOf)
      : Object.fromEntries(Object.entries(entry).map(([key, inner]) => [key, read(inner)]));
  return read(table) as SettingsOf<T>;
}

function readSetting(setting: Setting, env: object, mode: Mode, textOf: TextOf): unknown {
  const text = findText(setting, env, mode, textOf);
  if (text === "" && setting.default === undefined) return null;
  const schema = setting.type(mode);
  if (text === null) throw new SettingError(setting.name, String(schema.meta()?.ifMissing ?? "a value (required)"));
  const { data, error } = schema.safeParse(text);
  if (error) throw new SettingError(setting.name, error.issues[0]?.message ?? "another value");
  return data;
}

/** Returns the text of a variable or of its default: "" when it has neither, null when it is required and unset. */
function findText(setting: Setting, env: object, mode: Mode, textOf: TextOf): string | null {
  const text = settingText(Reflect.get(env, setting.name));
  if (text !== "" || setting.default === undefined) return text;
  return typeof setting.default === "string" ? setting.default : setting.default.text(textOf, mode);
}

/**
 * Returns the trimmed text of a variable. Numbers and booleans of wrangler.toml become text. Anything else counts as
 * unset ("").
 */
function settingText(raw: unknown): string {
  if (typeof raw === "string") return raw.trim();
  return typeof raw === "number" || typeof raw === "boolean" ? String(raw) : "";
}

/** Runs `build` once per env object, which means that settings are parsed once per isolate. Errors are not cached. */
export function oncePerIsolate<E extends object, T>(build: (env: E) => T): (env: E) => T {
  const built = new WeakMap<E, { value: T }>();
  return (env) => {
    const cached = built.get(env) ?? { value: build(env) };
    built.set(env, cached);
    return cached.value;
  };
}

/**
 * Like `oncePerIsolate`, for asynchronous work such as importing keys. It caches the value, never the promise, because
 * a Worker may not await a promise of another request. Concurrent first requests may therefore run `build` several
 * times.
 */
export function oncePerIsolateAsync<E extends object, T>(build: (env: E) => Promise<T>): (env: E) => Promise<T> {
  const built = new WeakMap<E, { value: T }>();
  return async (env) => {
    const cached = built.get(env) ?? { value: await build(env) };
    built.set(env, cached);
    return cached.value;
  };
}
