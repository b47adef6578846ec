import { Problem } from "../../problem";

/**
 * One field of a request, read once: its value, or the Problem that refuses it. Statements are built from the values that
 * are there before anything is judged; `unwrap` then refuses the fields in the documented order of checks.
 */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: Problem<string> };

/** A field with this value. */
export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });

/** What `read` returns, or the Problem that it throws. Other errors are thrown. */
export function tryParse<T>(read: () => T): Parsed<T> {
  try {
    return parsed(read());
  } catch (error) {
    return refused(error);
  }
}

/** As `tryParse`, for what has to be awaited, such as a body. */
export async function tryParseAsync<T>(read: () => Promise<T>): Promise<Parsed<T>> {
  try {
    return parsed(await read());
  } catch (error) {
    return refused(error);
  }
}

/** A field of what was read before: without that, it is refused by the same Problem. */
export function parseFrom<S, T>(source: Parsed<S>, read: (value: S) => T): Parsed<T> {
  return source.ok ? tryParse(() => read(source.value)) : source;
}

/** The value; throws the Problem of a field that has none. */
export function unwrap<T>(field: Parsed<T>): T {
  if (field.ok) return field.value;
  throw field.problem;
}

/** The value, or `fallback` for a field that has none. */
export function valueOr<T>(field: Parsed<T>, fallback: T): T;
export function valueOr<T>(field: Parsed<T>, fallback: null): T | null;
export function valueOr<T>(field: Parsed<T>, fallback: T | null): T | null {
  return field.ok ? field.value : fallback;
}

function refused(error: unknown): Parsed<never> {
  if (error instanceof Problem) return { ok: false, problem: error };
  throw error;
}
