import type { FieldErrors } from "../../../schemas/errors";
import type { CommandSpec, FlagSpec } from "../../../schemas/management/command-spec";
import { canonicalAddress, isAddress } from "../../../schemas/text/address";
import { invalid, Problem } from "../problem";

/** The parsed flags of a command. */
export type FlagValues = Record<string, string | number | boolean>;

const MAX_TEXT = 2048;

/**
 * Checks `flags` against the command's specification. Throws a 400 with `flags.{name}` and a field code. Values out of
 * range are rejected, never clamped.
 */
export function readFlags(spec: CommandSpec, input: unknown): FlagValues {
  const flags = input === undefined ? {} : input;
  if (typeof flags !== "object" || flags === null || Array.isArray(flags)) throw invalid({ flags: ["invalid"] });
  const errors: FieldErrors = {};
  const sentFlags = spec.flags.filter(({ local }) => !local);
  for (const name of Object.keys(flags)) {
    if (!sentFlags.some((flag) => flag.name === name)) errors[`flags.${name}`] = ["invalid"];
  }
  const values: FlagValues = {};
  for (const flag of sentFlags) {
    const result = readFlag(flag, Reflect.get(flags, flag.name));
    if ("code" in result) errors[`flags.${flag.name}`] = [result.code];
    else if (result.value !== undefined) values[flag.name] = result.value;
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return values;
}

/**
 * Calls `read`, which applies the rules of an API, and renames the fields of its field errors to `flags.{name}`.
 * `flagOf` maps a field to a flag with another name.
 */
export function withFlagErrors<T>(read: () => T, flagOf: Record<string, string> = {}): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem) || error.options.field_errors === undefined) throw error;
    const fields = Object.entries(error.options.field_errors).map(([path, codes]) => {
      const [field = path] = path.split(".");
      return [`flags.${flagOf[field] ?? field}`, codes];
    });
    throw invalid(Object.fromEntries(fields));
  }
}

function readFlag(flag: FlagSpec, value: unknown): { code: string } | { value: string | number | boolean | undefined } {
  if (value === undefined || value === null) {
    if (flag.required) return { code: "required" };
    return { value: flag.kind === "boolean" ? false : flag.fallback };
  }
  if (flag.kind === "boolean") {
    if (typeof value !== "boolean") return { code: "invalid" };
    return flag.required && !value ? { code: "required" } : { value: value };
  }
  if (flag.kind === "text" || flag.kind === "email" || flag.kind === "url") return readText(flag.kind, value);
  if (flag.kind === "file") return { code: "invalid" };
  if (typeof value !== "number" || !Number.isFinite(value)) return { code: "invalid" };
  if (flag.kind === "integer" && !Number.isSafeInteger(value)) return { code: "invalid" };
  if (value < (flag.min ?? -Infinity) || value > (flag.max ?? Infinity)) return { code: "out_of_range" };
  return { value: value };
}

/**
 * Returns the rows of a body; an empty list for a command without rows. Throws 400 `rows: [invalid]` for anything but a list, and
 * for a command with rows `[required]` and `[too_many]`.
 */
export function readRows({ rows: limits }: CommandSpec, input: unknown): readonly unknown[] {
  if (input !== undefined && !Array.isArray(input)) throw invalid({ rows: ["invalid"] });
  if (limits === undefined) return [];
  if (input === undefined || input.length === 0) throw invalid({ rows: ["required"] });
  if (input.length > limits.max) throw invalid({ rows: ["too_many"] });
  return input;
}

function readText(kind: "text" | "email" | "url", value: unknown): { code: string } | { value: string } {
  if (typeof value !== "string") return { code: "invalid" };
  const text = value.trim();
  if (text === "") return { code: "blank" };
  if (text.length > MAX_TEXT) return { code: "too_long" };
  if (kind === "url") return /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? { value: text } : { code: "invalid" };
  if (kind === "text") return { value: text };
  const address = canonicalAddress(text);
  return isAddress(address) ? { value: address } : { code: "invalid_format" };
}
