import type * as z from "zod";
import type { KeyPath } from "./findings.ts";

// Walks a value and its schema in parallel. Finds the union alternative that a value was meant to be, the known keys, and
// the allowed values.

type Schema = z.core.$ZodType;

/** Returns a schema without wrappers for missing values (optional, default, nullable). */
export function unwrap(schema: Schema): z.core.$ZodTypes {
  const typedSchema = schema as z.core.$ZodTypes;
  const { def } = typedSchema._zod;
  if (def.type === "optional" || def.type === "default" || def.type === "prefault" || def.type === "nullable") {
    return unwrap(def.innerType);
  }
  return typedSchema;
}

/**
 * Returns the index of the union alternative that a value was probably meant to be. This alternative has the type of
 * the value and the most keys in common with the value.
 */
export function chooseOption(options: readonly Schema[], value: unknown): number {
  const scores = options.map((option) => scoreOf(unwrap(option), value));
  return scores.indexOf(Math.max(...scores));
}

function scoreOf(schema: z.core.$ZodTypes, value: unknown): number {
  const { def } = schema._zod;
  const kind = Array.isArray(value) ? "array" : typeof value;
  if (def.type === "union") return Math.max(...def.options.map((option) => scoreOf(unwrap(option), value)));
  if (!isObject(value) || kind === "array")
    return def.type === kind || (def.type === "enum" && kind === "string") ? 1 : 0;
  if (def.type === "record") return 1.5;
  if (def.type !== "object") return 0;
  const shared = Object.keys(value).filter((key) => key in def.shape).length;
  // An empty object has the same score for every alternative, so the first one wins. The bonus for `items` makes an object
  // with that key a group.
  return 1 + shared + ("items" in value && "items" in def.shape ? 10 : 0);
}

/** Returns the schema at a path of a value; undefined for an unknown key. */
export function schemaAt(schema: Schema, value: unknown, path: KeyPath): z.core.$ZodTypes | undefined {
  const unwrapped = unwrap(schema);
  const [key, ...innerPath] = path;
  if (key === undefined) return unwrapped;
  const { def } = unwrapped._zod;
  const inner = isObject(value) ? value[key] : undefined;
  if (def.type === "union") {
    const option = def.options[chooseOption(def.options, value)];
    return option && schemaAt(option, value, path);
  }
  const next = def.type === "object" ? def.shape[key] : def.type === "array" ? def.element : undefined;
  const child = def.type === "record" ? def.valueType : next;
  return child && schemaAt(child, inner, innerPath);
}

/** Removes unknown keys and reports each of them. */
export function dropUnknown(
  schema: Schema,
  value: unknown,
  reportUnknown: (path: KeyPath, allowedKeys: string[]) => void,
  path: KeyPath = [],
): unknown {
  const { def } = unwrap(schema)._zod;
  if (def.type === "union") {
    const option = def.options[chooseOption(def.options, value)];
    return option ? dropUnknown(option, value, reportUnknown, path) : value;
  }
  if (def.type === "array" && Array.isArray(value)) {
    return value.map((entry, index) => dropUnknown(def.element, entry, reportUnknown, [...path, index]));
  }
  if (!isObject(value) || Array.isArray(value)) return value;
  const entries = Object.entries(value).flatMap(([key, entry]): [string, unknown][] => {
    if (def.type === "record") return [[key, dropUnknown(def.valueType, entry, reportUnknown, [...path, key])]];
    if (def.type !== "object") return [[key, entry]];
    const memberSchema = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (memberSchema) return [[key, dropUnknown(memberSchema, entry, reportUnknown, [...path, key])]];
    reportUnknown([...path, key], Object.keys(def.shape));
    return [];
  });
  return Object.fromEntries(entries);
}

export function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

/** Returns a phrase for the values that a schema allows. The phrase can follow "must be". */
export function describe(schema: Schema): string {
  const unwrapped = unwrap(schema);
  const { def } = unwrapped._zod;
  switch (def.type) {
    case "string":
      return describeText(limitsOf(unwrapped));
    case "number":
      return describeNumber(limitsOf(unwrapped));
    case "boolean":
      return "true or false";
    case "enum": {
      const values = Object.values(def.entries).map((entry) => JSON.stringify(entry));
      return values.length === 1 ? String(values[0]) : `one of ${values.join(", ")}`;
    }
    case "array":
      return "a list";
    case "record":
      return "an object of names and values";
    case "object":
      return `an object with ${Object.keys(def.shape).slice(0, 4).join(", ")}${Object.keys(def.shape).length > 4 ? ", …" : ""}`;
    case "union":
      return [...new Set(def.options.map((option) => describe(option)))].join(", or ");
    default:
      return "another value";
  }
}

type Limits = { isInteger: boolean; min: number | undefined; max: number | undefined };

/** Returns the bounds of a number or text schema. */
function limitsOf(schema: z.core.$ZodTypes): Limits {
  const limits: Limits = { isInteger: false, min: undefined, max: undefined };
  for (const check of schema._zod.def.checks ?? []) {
    const { def } = check._zod as z.core.$ZodChecks["_zod"];
    if (def.check === "number_format") limits.isInteger = true;
    if (def.check === "greater_than") limits.min = Number(def.value) + (def.inclusive ? 0 : 1);
    if (def.check === "less_than") limits.max = Number(def.value);
    if (def.check === "min_length") limits.min = def.minimum;
    if (def.check === "max_length") limits.max = def.maximum;
  }
  return limits;
}

function describeNumber({ isInteger, min, max }: Limits): string {
  const noun = isInteger ? "a whole number" : "a number";
  if (min === undefined) return noun;
  return max === undefined ? `${noun} of at least ${min}` : `${noun} from ${min} to ${max}`;
}

function describeText({ min, max }: Limits): string {
  if (max !== undefined) return `text of ${min ?? 0} to ${max} characters`;
  return min === undefined ? "text" : "text that is not empty";
}
