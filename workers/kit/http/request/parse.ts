import type * as z from "zod";
import type { FieldErrors } from "../../../../schemas/errors";
import { invalid } from "../../problem";

/** A message of a schema that is already a field code, e.g. `z.string("invalid_format")`. */
const codePattern = /^[a-z][a-z_]{2,40}$/;

function codeOf(issue: z.core.$ZodIssue, input: unknown): string {
  const isTyped = issue.code === "invalid_type" || issue.code === "invalid_value";
  if (isTyped && valueAt(input, issue.path) === undefined) return "required";
  if (codePattern.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "too_big":
      if (issue.origin === "string") return "too_long";
      return issue.origin === "array" ? "too_many" : "out_of_range";
    case "too_small":
      if (issue.origin === "string") return "blank";
      return issue.origin === "array" ? "required" : "out_of_range";
    case "invalid_format":
      return "invalid_format";
    default:
      return "invalid";
  }
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

/** Converts zod issues to `field_errors`, which map dotted paths to field codes. */
export function fieldErrors(error: z.ZodError, input: unknown): FieldErrors {
  const fields: FieldErrors = {};
  for (const issue of error.issues) {
    const path = issue.path.map(String).join(".") || "body";
    const code = codeOf(issue, input);
    fields[path] = [...new Set([...(fields[path] ?? []), code])];
  }
  return fields;
}

/** A schema, or a schema that is built at its first use. */
export type Parser = Pick<z.ZodType, "_zod" | "safeParse">;

/** Returns the output of the schema. Throws 400 `validation_failed` that lists every invalid field. */
export function parse<S extends Parser>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data as z.output<S>;
  throw invalid(fieldErrors(result.error, input));
}
