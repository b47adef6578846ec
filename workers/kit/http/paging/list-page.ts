import type * as z from "zod";
import { WALKED_ROWS } from "../../db/walk";
import { encodeCursor, readPage } from "./cursor-page";
import { type NumberPage, presentNumberPage, readNumberPage } from "./number-page";

/** A page of a list: by number, or behind the row of a cursor, which costs the same at any depth. */
export type ListPage<Position> = NumberPage & { after: Position | null };

/** The highest count that a list without filters is asked for; more rows than this are not counted. */
export const highestCount = 10_001;

/** What a list found: its rows, how many there are (or more), and the cursor of the next page, null at the end. */
type Found<Row> = { count: number; rows: Row[]; next_cursor: string | null };

type SortValues<Row> = (row: Row) => readonly (string | number)[];

/** `page`, `page_size` and `cursor` of a query; 400 with the field. A cursor replaces the page. */
export function readListPage<S extends z.ZodType>(query: Record<string, string>, position: S): ListPage<z.output<S>> {
  const { after } = readPage({ cursor: query.cursor }, position);
  const page = readNumberPage(after === null ? query : { ...query, page: "1" });
  return { ...page, after };
}

/** The page of a list of which up to one row more than the page holds was read. */
export function cutPage<Row>(
  { pageSize }: NumberPage,
  count: number,
  found: readonly Row[],
  sortValues: SortValues<Row>,
): Found<Row> {
  const rows = found.slice(0, pageSize);
  const last = rows.at(-1);
  const hasMore = found.length > pageSize && last !== undefined;
  return { count, rows, next_cursor: hasMore ? encodeCursor(sortValues(last)) : null };
}

/** The values of a walk for a page: without filters as many rows are looked at as are counted. */
export function walkValues({ pageSize: size, offset, after }: ListPage<unknown>, isFiltered: boolean) {
  const look = isFiltered || after !== null ? WALKED_ROWS : highestCount;
  return { look, size, offset, counted: after === null ? 1 : 0 };
}

/** A row of a walk: one of the page, or the one that ends it. */
type Walked = { fitting: number | null; is_cut: boolean | null };

/** As cutPage, of the rows of a walk: where it was cut, the cursor goes on behind the last row that was looked at. */
export function cutWalk<Row extends Walked>(
  page: NumberPage,
  walked: readonly Row[],
  sortValues: SortValues<Row>,
): Found<Row> {
  const end = walked.find((row) => row.is_cut !== null);
  const found = walked.filter((row) => row.is_cut === null);
  const cut = cutPage(page, end?.fitting ?? 0, found, sortValues);
  return end?.is_cut && cut.next_cursor === null ? { ...cut, next_cursor: encodeCursor(sortValues(end)) } : cut;
}

/** The answer of a list; behind a cursor without `count` and `page`. */
export function presentListPage<Row, T>(
  page: ListPage<unknown>,
  { count, rows, next_cursor }: Found<Row>,
  present: (row: Row) => T,
) {
  const results = rows.map(present);
  if (page.after !== null) return { page_size: page.pageSize, results, next_cursor };
  return { ...presentNumberPage(count, page, results), next_cursor };
}
