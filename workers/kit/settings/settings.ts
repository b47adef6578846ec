import type * as z from "zod";
import { flag } from "./setting-types";

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

/** With `debug` a type may allow what a deployment must not have, such as http instead of https. */
export type Mode = { debug: boolean };

/** How the trimmed text of a variable becomes its value. The schema's description tells what is allowed. */
export type SettingType<T> = (mode: Mode) => z.ZodType<T, string>;

/** The text of a variable of the same table, or of its default. */
type TextOf = (name: string) => string;

/** A default that depends: `shown` stands for it in docs/settings.md. A text of null: the variable has to be set. */
type DependingDefault = { readonly shown: string; readonly text: (textOf: TextOf, mode: Mode) => string | null };

/** What a secret is: something that `npm start` and `npm run deploy:prepare` make, or `given` by whoever deploys. */
export type SecretKind = "random bytes" | "RSA key" | "service key" | "operator key" | "given";

/** One variable of a Worker. */
export type Setting<T = unknown> = {
  readonly name: string;
  readonly type: SettingType<T>;
  /** as it would be written in wrangler.toml; without one, the value of an unset variable is null */
  readonly default?: string | DependingDefault;
  /** Markdown, for docs/settings.md */
  readonly meaning: string;
  /** absent: no secret */
  readonly secret?: SecretKind;
};

/** Variables, each under the key that its value has in the code; a group is a table in the table. */
export type SettingsTable = { readonly [key: string]: Setting | SettingsTable };

/** The values of a table, in its shape. */
export type SettingsOf<T> =
  T extends Setting<infer Value>
    ? T extends { readonly default: unknown }
      ? Value
      : Value | null
    : { -readonly [Key in keyof T]: SettingsOf<T[Key]> };

type NameOf<T> = T extends { readonly name: infer Name extends string } ? Name : NameOf<T[keyof T]>;

/** The variables of a table as they come in the env of a Worker. */
export type VariablesOf<T> = { [Name in NameOf<T>]?: string | undefined };

/** Default of a variable that has to be set. */
export const required: DependingDefault = { shown: "**required**", text: () => null };

/** Default of a variable that has to be set but with `DEBUG`. */
export const requiredUnlessDebug = (text: string, shown = `\`${text}\``): DependingDefault => ({
  shown: `**required**, with \`DEBUG\` ${shown}`,
  text: (_textOf, { debug }) => (debug ? text : null),
});

/** Default of a variable that follows another one. */
export const sameAs = (name: string): DependingDefault => ({ shown: `\`${name}\``, text: (textOf) => textOf(name) });

/** The variable on which the mode depends; every Worker has it. */
export const debugSetting = {
  name: "DEBUG",
  type: flag,
  default: "false",
  meaning: "Development mode: allows http URLs, rates `off` and a missing broker. Never true in a deployment",
} as const satisfies Setting;

const isSetting = (entry: Setting | SettingsTable): entry is Setting => typeof entry.name === "string";

/** The variables of a table in their order; one that stands there twice is listed once. */
export function listSettings(table: SettingsTable): Setting[] {
  const found = Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)));
  return [...new Map(found.map((setting) => [setting.name, setting])).values()];
}

/** Reads all variables of a table. Throws a SettingError for the first that is missing or malformed. */
export function readSettings<const T extends SettingsTable>(table: T, env: object): SettingsOf<T> {
  const byName = new Map(listSettings(table).map((setting) => [setting.name, setting]));
  const mode = { debug: readSetting(debugSetting, env, { debug: false }, () => "") === true };
  const textOf: TextOf = (name) => {
    const setting = byName.get(name);
    if (setting === undefined) throw new TypeError(`${name} is no variable of this table`);
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

/** The text of a variable or of its default, "" when there is neither; null when it has to be set and is not. */
function findText(setting: Setting, env: object, mode: Mode, textOf: TextOf): string | null {
  const text = settingText(Reflect.get(env, setting.name));
  if (text !== "" || setting.default === undefined) return text;
  return typeof setting.default === "string" ? setting.default : setting.default.text(textOf, mode);
}

/** The trimmed text of a variable; numbers and booleans of wrangler.toml become text, everything else is unset (""). */
function settingText(raw: unknown): string {
  if (typeof raw === "string") return raw.trim();
  return typeof raw === "number" || typeof raw === "boolean" ? String(raw) : "";
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
