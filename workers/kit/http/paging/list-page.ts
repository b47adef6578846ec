import type * as z from "zod";
import type { Parser } from "../request/parse";
import { readPage } from "./cursor-page";
import { type NumberPage, presentNumberPage, readNumberPage } from "./number-page";

/** A page of a list: by number, or behind the row of a cursor, which costs the same at any depth. */
export type ListPage<Position> = NumberPage & { after: Position | null };

/** `page`, `page_size` and `cursor` of a query; 400 with the field. A cursor replaces the page. */
export function readListPage<S extends Parser>(query: Record<string, string>, position: S): ListPage<z.output<S>> {
  const { after } = readPage({ cursor: query.cursor }, position);
  const page = readNumberPage(query, after !== null);
  return { ...page, after };
}

/** The answer of a list: `count` and `page` are left out behind a cursor. */
export function presentListPage<Row, T>(
  page: ListPage<unknown>,
  found: { count: number; rows: Row[]; next_cursor: string | null },
  present: (row: Row) => T,
) {
  const results = found.rows.map(present);
  const { next_cursor } = found;
  if (page.after !== null) return { page_size: page.pageSize, results, next_cursor };
  return { ...presentNumberPage(found.count, page, results), next_cursor };
}
