import type { Context } from "hono";
import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { companyPageQuery } from "../../../schemas/page";
import { companyQuery, rowIdPath, uuidPath } from "../../../schemas/query";
import type { Result } from "../db/db";
import type { Bound } from "../db/statement";
import { byNumber, type Page, presentPage, readPage, splitPage } from "./paging/page";
import type { Parser } from "./request/parse";
import { rowIdOf } from "./request/path-id";

// Parts that the calls of a company's resources share, to be spread into the declaration of a `call`. Method, path, role,
// bodies and answers stay at the call.

type Params = { params: Record<string, string> };

/** The row if it exists and belongs to the company that the call is narrowed to (null: to none), else null. */
export function inScope<Row extends { company_id: number }>(row: Row | null | undefined, scope: number | null) {
  return row && (scope === null || row.company_id === scope) ? row : null;
}

/** One row of the company in scope by its uuid. A malformed id is that of no row. */
export function rowByUuid<Row>(find: (values: { companyId: number; id: string }) => Bound<Row>) {
  return {
    query: companyQuery,
    params: uuidPath,
    input: ({ params: { id = "" } }: Params) => id,
    reads: ({ companyId, input: id }: { companyId: number; input: string }) => ({ found: find({ companyId, id }) }),
    row: ({ results }: { results: { found: Result<Row> } }) => results.found.first,
  };
}

/** One row by its integer id, of the company in scope; of any for staff who name none. A malformed id is that of no row. */
export function rowByNumber<Row extends { company_id: number }>(find: (values: { id: number }) => Bound<Row>) {
  return {
    ...anyRowByNumber(find),
    row: ({ scope, results }: { scope: number | null; results: { found: Result<Row> | null } }) =>
      inScope(results.found?.first, scope),
  };
}

/** As rowByNumber, of whichever company: the call decides who sees it. */
export function anyRowByNumber<Row>(find: (values: { id: number }) => Bound<Row>) {
  return {
    query: companyQuery,
    params: rowIdPath,
    input: ({ params }: Params) => rowIdOf(params.id),
    reads: ({ input: id }: { input: number | null }) => ({ found: id === null ? null : find({ id }) }),
    row: ({ results }: { results: { found: Result<Row> | null } }) => results.found?.first,
  };
}

/**
 * A numbered list of the company in scope: what its call declares, and the handler. `rows` finds as many as `limit`, one more
 * than the page holds; `position` is the shape of `sortValues`.
 */
export function numberedList<S extends Parser, Row, T>(list: {
  position: S;
  rows: (companyId: number, page: Page<z.output<S>>) => Bound<Row>;
  count: (values: { companyId: number }) => Bound<{ total: number }>;
  sortValues: (row: Row) => readonly (string | number)[];
  present: (row: Row) => T;
}) {
  type Reads = { found: Result<Row>; counted: Result<{ total: number }> };
  return {
    declared: {
      query: lazySchema(() => z.object(companyPageQuery())),
      input: ({ query }: { query: Record<string, string> }) => readPage(query, list.position, byNumber),
      reads: ({ companyId, input: page }: { companyId: number; input: Page<z.output<S>> }) => ({
        found: list.rows(companyId, { ...page, limit: page.limit + 1 }),
        counted: list.count({ companyId }),
      }),
    },
    handler: ({ c, input, results }: { c: Context; input: Page<unknown>; results: Reads }) => {
      const page = splitPage(results.found.rows, input.limit, list.sortValues);
      return c.json(presentPage(input, { ...page, count: results.counted.first?.total ?? 0 }, list.present));
    },
  };
}
