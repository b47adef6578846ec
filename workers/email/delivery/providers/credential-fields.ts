import type { FieldErrors } from "../../../../schemas/errors";

const MAX_SECRET_LENGTH = 512;

/** Returns whether a credential is undefined, null or empty. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Returns a boolean field, or false when it is missing. Adds an error code to `fields` for a value of another type. */
export function readFlag(input: Record<string, unknown>, name: string, fields: FieldErrors): boolean {
  const value = input[name] ?? false;
  if (typeof value === "boolean") return value;
  fields[`credentials.${name}`] = ["invalid"];
  return false;
}

/** Returns a text field, or "" when it is missing. Adds an error code to `fields` when it is invalid or too long. */
export function readSecret(input: Record<string, unknown>, name: string, fields: FieldErrors): string {
  const value = input[name] ?? "";
  if (typeof value === "string" && value.length <= MAX_SECRET_LENGTH && !/\p{Cc}/u.test(value)) return value;
  fields[`credentials.${name}`] = [typeof value === "string" && !/\p{Cc}/u.test(value) ? "too_long" : "invalid"];
  return "";
}
