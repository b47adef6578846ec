import { invalid } from "../../problem";

/** A page of a list by number. */
export type NumberPage = { page: number; pageSize: number; offset: number };

/** Rows that page numbers reach: they are counted from the first one, and a cursor is not. */
export const DEEPEST_ROW = 10_000;

/**
 * `page` >= 1 and `page_size` 1..100 (default 20) of a query; 400 `[invalid]` or `[out_of_range]`, and `page: [use_cursor]`
 * for a page that ends behind the row 10,000. `isReplaced`: by a cursor; it is the first then, and has to be right all the same.
 */
export function readNumberPage(query: Record<string, string>, isReplaced = false): NumberPage {
  const given = readInteger("page", query.page, 1, { max: 1_000_000_000 });
  const page = isReplaced ? 1 : given;
  const pageSize = readInteger("page_size", query.page_size, 20, { max: 100 });
  if (page * pageSize > DEEPEST_ROW) throw invalid({ page: ["use_cursor"] });
  return { page, pageSize, offset: (page - 1) * pageSize };
}

function readInteger(name: string, text: string | undefined, fallback: number, { max }: { max: number }): number {
  if (text === undefined) return fallback;
  if (!/^-?[0-9]{1,15}$/.test(text)) throw invalid({ [name]: ["invalid"] });
  const value = Number(text);
  if (value < 1 || value > max) throw invalid({ [name]: ["out_of_range"] });
  return value;
}

/** The answer of a list: how many there are in all, which page this is, and its rows. */
export function presentNumberPage<T>(count: number, { page, pageSize }: NumberPage, results: T[]) {
  return { count, page, page_size: pageSize, results };
}
