import { WALKED_ROWS } from "../../db/walk";
import { encodeCursor } from "./cursor";
import { type Page, type PageRows, splitPage, useCursor } from "./page";

/** The highest count that a list without filters is asked for; more rows than this are not counted. */
export const highestCount = 2 * WALKED_ROWS;

/** The values of a walk for a list by `limit` and `cursor` alone. */
export const walkOfLimit = (limit: number) => ({ look: WALKED_ROWS, size: limit, offset: 0, counted: 0 });

/** The values of a walk for a page: one by number is counted, and without filters up to the highest count. */
export function walkOfPage({ limit: size, offset, after }: Page<unknown>, isFiltered: boolean) {
  const look = isFiltered || after !== null ? WALKED_ROWS : highestCount;
  return { look, size, offset, counted: after === null ? 1 : 0 };
}

/** A row of a walk: one of the page, or the one that ends it. */
type Walked = { fitting: number | null; is_cut: boolean | null };

/**
 * Splits what a walk found into one page and the cursor of the next: where the look was cut before the page was full, the next
 * one continues behind the last row that was looked at. `count` is 0 where the page was not to be counted. 400 `use_cursor`
 * for a page number behind all rows that a cut look found: the list may have more rows, which only cursors reach.
 */
export function splitWalk<Row extends Walked>(
  walked: readonly Row[],
  { page, limit }: Page<unknown>,
  sortValues: (row: Row) => readonly (string | number)[],
): PageRows<Row> & { count: number } {
  const end = walked.find((row) => row.is_cut !== null);
  const found = splitPage(
    walked.filter((row) => row.is_cut === null),
    limit,
    sortValues,
  );
  if (page > 1 && found.rows.length === 0 && end?.is_cut) throw useCursor();
  const next_cursor = found.next_cursor ?? (end?.is_cut ? encodeCursor(sortValues(end)) : null);
  return { count: end?.fitting ?? 0, rows: found.rows, next_cursor };
}
