/** A JSON object from a request. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether an optional field is absent: missing and null mean the same. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
