import * as z from "zod";
import type { FieldErrors } from "../../../../schemas/errors";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { invalid } from "../../problem";
import type { Parser } from "../request/parse";
import { encodeCursor, readCursor } from "./cursor";

/**
 * A page of a list, by number or after a cursor. `after` holds the sort values of the row before the page; such a page
 * costs the same at any depth. `limit` is the number of rows.
 */
export type Page<Position> = { page: number; limit: number; offset: number; after: Position | null };

/** The rows of a page, and the cursor of the next page (null at the end). */
export type PageRows<Row> = { rows: Row[]; next_cursor: string | null };

/**
 * Paging options of a list: the name of the page size parameter, its limits, whether pages have numbers, and the last row
 * that page numbers reach.
 */
type Paging = {
  size?: "limit" | "page_size";
  defaultLimit?: number;
  maxLimit?: number;
  isNumbered?: boolean;
  lastRow?: number;
};

/**
 * The last row that page numbers reach by default. The database scans every row before a numbered page, but a cursor starts
 * directly at its row.
 */
export const MAX_NUMBERED_ROW = 10_000;

const MAX_PAGE = 1_000_000_000;

/** Paging by `page` and `page_size` (1 to 100, default 20), or by `cursor` and `page_size`. */
export const byNumber = { size: "page_size", defaultLimit: 20, maxLimit: 100, isNumbered: true } as const;

/**
 * Reads the page that a query asks for, by default from `limit` (1 to 200, default 50) and `cursor`. A cursor replaces
 * the page number. Throws 400 with every invalid field: `[invalid]`, `[out_of_range]`, or `page: [use_cursor]` for a
 * page that ends after `lastRow`. `position` is the schema of the sort values passed to `encodeCursor`.
 */
export function readPage<S extends Parser>(
  query: { page?: string; page_size?: string; limit?: string; cursor?: string | undefined },
  position: S,
  { size = "limit", defaultLimit = 50, maxLimit = 200, isNumbered = false, lastRow = MAX_NUMBERED_ROW }: Paging = {},
): Page<z.output<S>> {
  const fields: FieldErrors = {};
  const limit = readInteger(query[size], defaultLimit, maxLimit);
  if (typeof limit === "string") fields[size] = [limit];
  const pageNumber = isNumbered ? readInteger(query.page, 1, MAX_PAGE) : 1;
  if (typeof pageNumber === "string") fields.page = [pageNumber];
  const after = query.cursor === undefined ? null : readCursor(query.cursor, position);
  if (after === undefined) fields.cursor = ["invalid"];
  if (typeof limit === "string" || typeof pageNumber === "string" || after === undefined) throw invalid(fields);
  const page = after === null ? pageNumber : 1;
  if (page * limit > lastRow) throw cursorRequired();
  return { page, limit, offset: (page - 1) * limit, after };
}

/** Returns the 400 for a page that only a cursor can reach. */
export const cursorRequired = () => invalid({ page: ["use_cursor"] });

/** Splits the rows of a query with `LIMIT limit + 1` into one page and the cursor of the next. */
export function splitPage<Row>(
  rows: readonly Row[],
  limit: number,
  sortValues: (row: Row) => readonly (string | number)[],
): PageRows<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(sortValues(last)) : null };
}

/** Returns the response of a numbered list. After a cursor, `count` and `page` are omitted. */
export function presentPage<Row, T>(
  { page, limit, after }: Page<unknown>,
  { count, rows, next_cursor }: PageRows<Row> & { count: number },
  present: (row: Row) => T,
) {
  const numbered = after === null ? { count, page } : {};
  return { ...numbered, page_size: limit, results: rows.map(present), next_cursor };
}

/** Returns the response of a list whose rows have the resource's name as key, such as `{rules, next_cursor}`. */
export function presentResourcePage<K extends string, Row, T>(
  name: K,
  { rows, next_cursor }: PageRows<Row>,
  present: (row: Row) => T,
) {
  return { ...({ [name]: rows.map(present) } as Record<K, T[]>), next_cursor };
}

/** A position in a log that is sorted newest first: the row's time (unix ms), then its id. */
export type LogPosition = { created_at: number; id: number };

export const logPosition = lazySchema(() =>
  z.tuple([z.int(), z.int()]).transform(([created_at, id]): LogPosition => ({ created_at, id })),
);

function readInteger(text: string | undefined, fallback: number, max: number): number | "invalid" | "out_of_range" {
  if (text === undefined) return fallback;
  if (!/^-?\d+$/.test(text)) return "invalid";
  const value = Number(text);
  return value >= 1 && value <= max ? value : "out_of_range";
}
