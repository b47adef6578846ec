import { Problem } from "../../problem";

/**
 * A field of a request after parsing: its value, or the Problem that rejects it. Valid fields can be used to build
 * SQL statements before any Problem is thrown; `unwrap` then throws the Problems in the documented order of checks.
 */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: Problem<string> };

/** Returns a successfully parsed field with the value. */
export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** Returns the result of `read`, or the Problem that it throws. Rethrows other errors. */
export function tryParse<T>(read: () => T): Parsed<T> {
  try {
    return parsed(read());
  } catch (error) {
    return rejected(error);
  }
}

/** Like `tryParse`, for asynchronous reads such as a body. */
export async function tryParseAsync<T>(read: () => Promise<T>): Promise<Parsed<T>> {
  try {
    return parsed(await read());
  } catch (error) {
    return rejected(error);
  }
}

/** Reads a field from another field. Returns the Problem of the other field if it has one. */
export function parseFrom<S, T>(source: Parsed<S>, read: (value: S) => T): Parsed<T> {
  return source.ok ? tryParse(() => read(source.value)) : source;
}

/** Returns the value, or throws the Problem. */
export function unwrap<T>(field: Parsed<T>): T {
  if (field.ok) return field.value;
  throw field.problem;
}

/** Returns the value, or `fallback` for a field with a Problem. */
export function valueOr<T>(field: Parsed<T>, fallback: T): T;
export function valueOr<T>(field: Parsed<T>, fallback: null): T | null;
export function valueOr<T>(field: Parsed<T>, fallback: T | null): T | null {
  return field.ok ? field.value : fallback;
}

function rejected(error: unknown): Parsed<never> {
  if (error instanceof Problem) return { ok: false, problem: error };
  throw error;
}
