import { Problem } from "../../problem";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The integer id of a path; 404 `not_found` when it is malformed. */
export function readRowId(text: string | undefined): number {
  const id = rowIdOf(text);
  if (id === null) throw new Problem("not_found");
  return id;
}

/** As readRowId, for a row that is asked for before it may be told that there is none: null is the id of no row. */
export function rowIdOf(text: string | undefined): number | null {
  const id = /^[1-9]\d{0,15}$/.test(text ?? "") ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** The uuid of a path, in lower case; null, the id of no row, when it is malformed. */
export function uuidOf(text: string | undefined): string | null {
  return text !== undefined && uuidPattern.test(text) ? text : null;
}
