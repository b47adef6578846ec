import { WALKED_ROWS } from "../../db/walk";
import { encodeCursor } from "./cursor";
import { cursorRequired, type Page, type PageRows, splitPage } from "./page";

/** The highest exact count of a list without filters. Rows beyond it are not counted. */
export const maxCount = 2 * WALKED_ROWS;

/** Returns the walk parameters of a list that is paged only by `limit` and `cursor`. */
export const walkOfLimit = (limit: number) => ({ scanLimit: WALKED_ROWS, pageSize: limit, offset: 0, isCounted: 0 });

/**
 * Returns the walk parameters of a page. A numbered page is counted, up to `maxCount` when the list is not
 * filtered.
 */
export function walkOfPage({ limit: pageSize, offset, after }: Page<unknown>, isFiltered: boolean) {
  const scanLimit = isFiltered || after !== null ? WALKED_ROWS : maxCount;
  return { scanLimit, pageSize, offset, isCounted: after === null ? 1 : 0 };
}

/** A row of a walk: a row of the page, or the end row. */
type WalkRow = { match_count: number | null; is_cut: boolean | null };

/**
 * Splits the rows of a walk into one page and the cursor of the next. When the scan ended before the page was full, the
 * next page continues after the last scanned row. `count` is 0 when the page was not counted. Throws 400 `use_cursor`
 * for a page number beyond the scanned rows, because the list may have more rows that only cursors reach.
 */
export function splitWalk<Row extends WalkRow>(
  rows: readonly Row[],
  { page, limit }: Page<unknown>,
  sortValues: (row: Row) => readonly (string | number)[],
): PageRows<Row> & { count: number } {
  const end = rows.find((row) => row.is_cut !== null);
  const pageRows = splitPage(
    rows.filter((row) => row.is_cut === null),
    limit,
    sortValues,
  );
  if (page > 1 && pageRows.rows.length === 0 && end?.is_cut) throw cursorRequired();
  const next_cursor = pageRows.next_cursor ?? (end?.is_cut ? encodeCursor(sortValues(end)) : null);
  return { count: end?.match_count ?? 0, rows: pageRows.rows, next_cursor };
}
