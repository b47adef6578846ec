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

// Parts of a call declaration that the resources of a company share, to be spread into a `call`. The call itself
// declares method, path, role, bodies and responses.

type Params = { params: Record<string, string> };

/** Returns the row if it belongs to the company in scope, else null. A null scope includes all companies. */
export function inScope<Row extends { company_id: number }>(row: Row | null | undefined, scope: number | null) {
  return row && (scope === null || row.company_id === scope) ? row : null;
}

/** Declares one row of the company in scope by its UUID. A malformed id matches no row. */
export function rowByUuid<Row>(find: (values: { companyId: number; id: string }) => Bound<Row>) {
  return {
    query: companyQuery,
    params: uuidPath,
    input: ({ params: { id = "" } }: Params) => id,
    reads: ({ companyId, input: id }: { companyId: number; input: string }) => ({ row: find({ companyId, id }) }),
    row: ({ results }: { results: { row: Result<Row> } }) => results.row.first,
  };
}

/**
 * Declares one row by its integer id. The row must belong to the company in scope; staff who name no company may read
 * any row. A malformed id matches no row.
 */
export function rowByNumber<Row extends { company_id: number }>(find: (values: { id: number }) => Bound<Row>) {
  return {
    ...anyRowByNumber(find),
    row: ({ scope, results }: { scope: number | null; results: { row: Result<Row> | null } }) =>
      inScope(results.row?.first, scope),
  };
}

/** Like rowByNumber, for rows of any company. The call decides who may read the row. */
export function anyRowByNumber<Row>(find: (values: { id: number }) => Bound<Row>) {
  return {
    query: companyQuery,
    params: rowIdPath,
    input: ({ params }: Params) => rowIdOf(params.id),
    reads: ({ input: id }: { input: number | null }) => ({ row: id === null ? null : find({ id }) }),
    row: ({ results }: { results: { row: Result<Row> | null } }) => results.row?.first,
  };
}

/**
 * Declares a numbered list of the company in scope, with its handler. `rows` returns up to `limit` rows, which is one
 * more than the page holds. `position` is the schema of `sortValues`.
 */
export function numberedList<S extends Parser, Row, T>(list: {
  position: S;
  rows: (companyId: number, page: Page<z.output<S>>) => Bound<Row>;
  count: (values: { companyId: number }) => Bound<{ total: number }>;
  sortValues: (row: Row) => readonly (string | number)[];
  present: (row: Row) => T;
}) {
  type Reads = { rows: Result<Row>; count: Result<{ total: number }> };
  return {
    declared: {
      query: lazySchema(() => z.object(companyPageQuery())),
      input: ({ query }: { query: Record<string, string> }) => readPage(query, list.position, byNumber),
      reads: ({ companyId, input: page }: { companyId: number; input: Page<z.output<S>> }) => ({
        rows: list.rows(companyId, { ...page, limit: page.limit + 1 }),
        count: list.count({ companyId }),
      }),
    },
    handler: ({ c, input, results }: { c: Context; input: Page<unknown>; results: Reads }) => {
      const page = splitPage(results.rows.rows, input.limit, list.sortValues);
      return c.json(presentPage(input, { ...page, count: results.count.first?.total ?? 0 }, list.present));
    },
  };
}
