import { Problem } from "../../problem";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the integer id in a path; throws 404 `not_found` when it is malformed. */
export function readRowId(text: string | undefined): number {
  const id = rowIdOf(text);
  if (id === null) throw new Problem("not_found");
  return id;
}

/**
 * Like readRowId, but returns null for a malformed id. For callers that run their query before they may respond 404.
 */
export function rowIdOf(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** Returns the UUID in a path, which must be in lower case; null when it is malformed. */
export function uuidOf(text: string | undefined): string | null {
  return text !== undefined && uuidPattern.test(text) ? text : null;
}
