import { WALKED_ROWS } from "../../db/walk";
import { encodeCursor } from "./cursor";
import { cursorRequired, type Page, type PageRows, splitPage } from "./page";

/** The highest exact count of a list without filters; rows beyond it are not counted. */
export const highestCount = 2 * WALKED_ROWS;

/** The walk parameters of a list that only takes `limit` and `cursor`. */
export const walkOfLimit = (limit: number) => ({ look: WALKED_ROWS, size: limit, offset: 0, counted: 0 });

/** The walk parameters of a page. Numbered pages are counted; without filters up to the highest count. */
export function walkOfPage({ limit: size, offset, after }: Page<unknown>, isFiltered: boolean) {
  const look = isFiltered || after !== null ? WALKED_ROWS : highestCount;
  return { look, size, offset, counted: after === null ? 1 : 0 };
}

/** A row of a walk: a row of the page, or the row that ends it. */
type Walked = { fitting: number | null; is_cut: boolean | null };

/**
 * Splits the rows of a walk into one page and the cursor of the next. When the scan was cut before the page was full,
 * the next page continues after the last scanned row. `count` is 0 when the page was not counted. Throws 400
 * `use_cursor` for a page number beyond the rows of a cut scan, because the list may have more rows that only cursors
 * reach.
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
  if (page > 1 && found.rows.length === 0 && end?.is_cut) throw cursorRequired();
  const next_cursor = found.next_cursor ?? (end?.is_cut ? encodeCursor(sortValues(end)) : null);
  return { count: end?.fitting ?? 0, rows: found.rows, next_cursor };
}
