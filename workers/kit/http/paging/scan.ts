import { MAX_SCANNED_ROWS } from "../../db/bounded-scan";
import { encodeCursor } from "./cursor";
import { cursorRequired, type Page, type PageRows, splitPage } from "./page";

/** The highest exact count of a list without filters. Rows beyond it are not counted. */
export const maxCount = 2 * MAX_SCANNED_ROWS;

/** Returns the scan parameters of a list that is paged only by `limit` and `cursor`. */
export const scanOfLimit = (limit: number) => ({
  scanLimit: MAX_SCANNED_ROWS,
  pageSize: limit,
  offset: 0,
  isCounted: 0,
});

/**
 * Returns the scan parameters of a page. A numbered page is counted, up to `maxCount` when the list is not
 * filtered.
 */
export function scanOfPage({ limit: pageSize, offset, after }: Page<unknown>, isFiltered: boolean) {
  const scanLimit = isFiltered || after !== null ? MAX_SCANNED_ROWS : maxCount;
  return { scanLimit, pageSize, offset, isCounted: after === null ? 1 : 0 };
}

/** A row of a scan: a row of the page, or the end row. */
type ScanRow = { match_count: number | null; is_limit_reached: boolean | null };

/**
 * Splits the rows of a scan into one page and the cursor of the next. When the scan ended before the page was full, the
 * next page continues after the last scanned row. `count` is 0 when the page was not counted. Throws 400 `use_cursor`
 * for a page number beyond the scanned rows, because the list may have more rows that only cursors reach.
 */
export function splitScan<Row extends ScanRow>(
  rows: readonly Row[],
  { page, limit }: Page<unknown>,
  sortValues: (row: Row) => readonly (string | number)[],
): PageRows<Row> & { count: number } {
  const end = rows.find((row) => row.is_limit_reached !== null);
  const pageRows = splitPage(
    rows.filter((row) => row.is_limit_reached === null),
    limit,
    sortValues,
  );
  if (page > 1 && pageRows.rows.length === 0 && end?.is_limit_reached) throw cursorRequired();
  const next_cursor = pageRows.next_cursor ?? (end?.is_limit_reached ? encodeCursor(sortValues(end)) : null);
  return { count: end?.match_count ?? 0, rows: pageRows.rows, next_cursor };
}
