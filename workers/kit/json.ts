/** A JSON object of a caller. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Missing and null mean the same in an optional field. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
