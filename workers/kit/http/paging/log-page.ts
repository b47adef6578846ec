import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { encodeCursor, readPage } from "./cursor-page";
import { type NumberPage, presentNumberPage, readNumberPage } from "./number-page";

/** Where a row of a log stands: its time (unix ms), then its id. */
export type LogPosition = { created_at: number; id: number };

/** A page of a log, newest first: by number, or behind the row of a cursor, which costs the same at any depth. */
export type LogPage = NumberPage & { after: LogPosition | null };

/** The highest count that a log is asked for; more rows than this are not counted. */
export const highestCount = 10_001;

const positionSchema = lazySchema(() => z.tuple([z.int(), z.int()]));

/** `page`, `page_size` and `cursor` of a query; 400 with the field. A cursor replaces the page. */
export function readLogPage(query: Record<string, string>): LogPage {
  const { after } = readPage({ cursor: query.cursor }, positionSchema);
  const page = readNumberPage(query);
  if (after === null) return { ...page, after };
  const [created_at, id] = after;
  return { ...page, page: 1, offset: 0, after: { created_at, id } };
}

/** The answer of a log from up to `pageSize + 1` rows; `count` is left out behind a cursor. */
export function presentLogPage<Row extends LogPosition, T>(
  page: LogPage,
  count: number,
  rows: Row[],
  present: (row: Row) => T,
) {
  const shown = rows.slice(0, page.pageSize);
  const last = shown.at(-1);
  const next_cursor = rows.length > page.pageSize && last ? encodeCursor([last.created_at, last.id]) : null;
  const results = shown.map(present);
  if (page.after) return { page_size: page.pageSize, results, next_cursor };
  return { ...presentNumberPage(count, page, results), next_cursor };
}
