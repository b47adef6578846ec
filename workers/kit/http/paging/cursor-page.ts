import type * as z from "zod";
import type { FieldErrors } from "../../../../schemas/errors";
import { base64urlToBytes, bytesToBase64url, bytesToUtf8, utf8ToBytes } from "../../crypto/encoding";
import { invalid } from "../../problem";
import type { Parser } from "../request/parse";

/** Where a page of a list begins: after the row whose sort values are `after` (null: at the start). */
export type Page<Position> = { limit: number; after: Position | null };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Of a text of 1,024 bytes, each of which JSON may escape, and a time. */
const MAX_CURSOR_LENGTH = 3000;

/**
 * `limit` and `cursor` of a list; 400 `limit: [invalid|out_of_range]`, `cursor: [invalid]`.
 * `position` is the shape of the sort values that `encodeCursor` was given.
 */
export function readPage<S extends Parser>(
  query: { limit?: string | undefined; cursor?: string | undefined },
  position: S,
  { defaultLimit = DEFAULT_LIMIT, maxLimit = MAX_LIMIT }: { defaultLimit?: number; maxLimit?: number } = {},
): Page<z.output<S>> {
  const limit = query.limit === undefined ? defaultLimit : readLimit(query.limit, maxLimit);
  const after = query.cursor === undefined ? null : readCursor(query.cursor, position);
  const fields: FieldErrors = {};
  if (typeof limit === "string") fields.limit = [limit];
  if (after === undefined) fields.cursor = ["invalid"];
  if (typeof limit === "string" || after === undefined) throw invalid(fields);
  return { limit, after };
}

/** The opaque text that continues a list after the row with these sort values. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return bytesToBase64url(utf8ToBytes(JSON.stringify(values)));
}

/** Splits what a query with `LIMIT limit + 1` found into one page and the cursor of the next (null at the end). */
export function splitPage<Row>(
  rows: readonly Row[],
  limit: number,
  sortValues: (row: Row) => readonly (string | number)[],
): { rows: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(sortValues(last)) : null };
}

function readLimit(text: string, max: number): number | "invalid" | "out_of_range" {
  if (!/^-?\d+$/.test(text)) return "invalid";
  const limit = Number(text);
  return limit >= 1 && limit <= max ? limit : "out_of_range";
}

/** The sort values of a cursor, or undefined when the text was not made by `encodeCursor` for this list. */
function readCursor<S extends Parser>(text: string, position: S): z.output<S> | undefined {
  if (text.length > MAX_CURSOR_LENGTH) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytesToUtf8(base64urlToBytes(text)));
  } catch {
    // Bad base64url, UTF-8 or JSON: all of them are the caller's bad cursor, which the answer says.
    return undefined;
  }
  const result = position.safeParse(value);
  return result.success ? (result.data as z.output<S>) : undefined;
}
