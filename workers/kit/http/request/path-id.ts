import { Problem } from "../../problem";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the integer id of a path; throws 404 `not_found` when it is malformed. */
export function readRowId(text: string | undefined): number {
  const id = rowIdOf(text);
  if (id === null) throw new Problem("not_found");
  return id;
}

/**
 * Like readRowId, for ids that are queried before a 404 may be returned: a malformed id is null, which matches no row.
 */
export function rowIdOf(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** Returns the UUID of a path in lower case; null, which matches no row, when it is malformed. */
export function uuidOf(text: string | undefined): string | null {
  return text !== undefined && uuidPattern.test(text) ? text : null;
}
