import type * as z from "zod";
import { type ShellConfig, shellConfig } from "../../schemas/shell/config.ts";
import type { KeyPath, Report } from "./findings.ts";
import { findNearest } from "./nearest.ts";
import { chooseOption, describe, dropUnknown, isObject, schemaAt, unwrap } from "./schema-walk.ts";

export type Validated = {
  /** the configuration before it is parsed, without unknown keys; the rules check it even if some values are invalid */
  rawConfig: unknown;
  /** undefined if a value is invalid */
  config: ShellConfig | undefined;
};

/** Validates each value against the schema and reports all errors. */
export function validateShape(value: unknown, report: Report, isStrict: boolean): Validated {
  const rawConfig = dropUnknown(shellConfig, value, (path, allowedKeys) => {
    const key = String(path.at(-1));
    const nearest = findNearest(key, allowedKeys);
    const hint = nearest === undefined ? "The platform ignores it" : `Did you mean "${nearest}"`;
    const level = isStrict ? "error" : "warning";
    report("unknown-key", path, `"${key}" is not a known key. ${hint}${nearest ? "?" : "."}`, { level, part: "key" });
  });
  const result = shellConfig.safeParse(rawConfig);
  if (result.success) return { rawConfig, config: result.data };
  for (const issue of result.error.issues) reportIssue(issue, [], rawConfig, report);
  return { rawConfig, config: undefined };
}

function reportIssue(issue: z.core.$ZodIssue, prefix: KeyPath, rawConfig: unknown, report: Report): void {
  const path: KeyPath = [...prefix, ...issue.path.map((key) => (typeof key === "number" ? key : String(key)))];
  const value = valueAt(rawConfig, path);
  const schema = schemaAt(shellConfig, rawConfig, path);
  if (value === undefined) {
    const allowed = schema ? ` It must be ${describe(schema)}.` : "";
    report("missing-key", path, `"${String(path.at(-1))}" is required.${allowed}`);
    return;
  }
  if (issue.code === "invalid_union") {
    const union = schema?._zod.def.type === "union" ? schema._zod.def : undefined;
    const index = union === undefined ? 0 : chooseOption(union.options, value);
    const inner = issue.errors[index] ?? [];
    const isWrongKind = inner.some(({ code, path: innerPath }) => code === "invalid_type" && innerPath.length === 0);
    if (!isWrongKind && inner.length > 0) {
      for (const innerIssue of inner) reportIssue(innerIssue, path, rawConfig, report);
      return;
    }
    report("wrong-type", path, `It must be ${schema ? describe(schema) : "a different value"}, not ${kindOf(value)}.`);
    return;
  }
  if (issue.code === "invalid_type") {
    const allowed = schema ? describe(schema) : issue.expected;
    const isNumber = schema !== undefined && unwrap(schema)._zod.def.type === "number" && typeof value === "number";
    report(isNumber ? "invalid-value" : "wrong-type", path, `It must be ${allowed}, not ${kindOf(value)}.`);
    return;
  }
  if (issue.code === "invalid_key") {
    const reason = issue.issues[0]?.message ?? "a different key";
    report("invalid-value", path, `"${String(path.at(-1))}" must be ${reason}.`, { part: "key" });
    return;
  }
  const isUrl = issue.code === "invalid_format" && issue.format === "url";
  if (isUrl || (issue.code === "invalid_format" && isUnsafe(value))) {
    const allowed = isUrl ? "an absolute http or https URL" : describeAllowed(issue, schema);
    report("unsafe-url", path, `It must be ${allowed}, not ${formatValue(value)}.`);
    return;
  }
  report("invalid-value", path, `It must be ${describeAllowed(issue, schema)}, not ${formatValue(value)}.`);
}

/** Returns a phrase for the allowed values. A custom message of the schema takes precedence. */
function describeAllowed(issue: z.core.$ZodIssue, schema: z.core.$ZodType | undefined): string {
  if (issue.code === "custom" || (issue.code === "invalid_format" && !issue.message.startsWith("Invalid"))) {
    return issue.message;
  }
  if (issue.code === "too_small" && issue.origin === "array")
    return `a list with at least ${issue.minimum} ${issue.minimum === 1 ? "entry" : "entries"}`;
  return schema ? describe(schema) : "a different value";
}

/** Returns whether a URL has a scheme that runs code or reads files, or begins with two slashes and names another host. */
export function isUnsafe(value: unknown): boolean {
  return (
    typeof value === "string" &&
    (/^[/\\][/\\]/.test(value) || /^\s*(?:javascript|data|file|vbscript|blob):/i.test(value))
  );
}

export function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value === null) return "null";
  if (typeof value === "object") return "an object";
  return formatValue(value);
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
