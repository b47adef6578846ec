import * as z from "zod";
import { cutPage, highestCount, type ListPage, presentListPage, readListPage } from "./list-page";

export { highestCount };

/** Where a row of a log stands: its time (unix ms), then its id. */
export type LogPosition = { created_at: number; id: number };

/** A page of a log, newest first. */
export type LogPage = ListPage<LogPosition>;

const positionSchema = z.tuple([z.int(), z.int()]).transform(([created_at, id]): LogPosition => ({ created_at, id }));

/** `page`, `page_size` and `cursor` of a query; 400 with the field. A cursor replaces the page. */
export const readLogPage = (query: Record<string, string>): LogPage => readListPage(query, positionSchema);

/** The answer of a log from up to `pageSize + 1` rows; `count` is left out behind a cursor. */
export function presentLogPage<Row extends LogPosition, T>(
  page: LogPage,
  count: number,
  rows: Row[],
  present: (row: Row) => T,
) {
  return presentListPage(
    page,
    cutPage(page, count, rows, (row) => [row.created_at, row.id]),
    present,
  );
}
