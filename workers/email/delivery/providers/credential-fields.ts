import type { FieldErrors } from "../../../../schemas/errors";

const MAX_SECRET_LENGTH = 512;

/** Whether a credential is undefined, null or empty. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Returns a boolean, false when it is missing; adds an error code to `fields` for any other value. */
export function readFlag(input: Record<string, unknown>, name: string, fields: FieldErrors): boolean {
  const value = input[name] ?? false;
  if (typeof value === "boolean") return value;
  fields[`credentials.${name}`] = ["invalid"];
  return false;
}

/** Returns a line of text, "" when it is missing; adds an error code to `fields` for an invalid or long one. */
export function readSecret(input: Record<string, unknown>, name: string, fields: FieldErrors): string {
  const value = input[name] ?? "";
  if (typeof value === "string" && value.length <= MAX_SECRET_LENGTH && !/\p{Cc}/u.test(value)) return value;
  fields[`credentials.${name}`] = [typeof value === "string" && !/\p{Cc}/u.test(value) ? "too_long" : "invalid"];
  return "";
}
