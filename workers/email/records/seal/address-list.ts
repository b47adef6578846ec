import * as z from "zod";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { addressPattern } from "../../../../schemas/text/address";
import type { Result } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { type Page, presentResourcePage, readPage, splitPage } from "../../../kit/http/paging/page";
import type { EmailContext } from "../../http";
import type { EmailServices } from "../../services";
import { readAddressFilter } from "./address";

type PageValues = { companyId: number; beforeId: number; limit: number };
type Input = Page<[number]> & { hashes: string[] | null };

const position = lazySchema(() => z.tuple([z.int().min(1)]));
const query = lazySchema(() =>
  companyQuery.unwrap().extend({
    email: z.string().optional().meta({ pattern: addressPattern }),
    limit: z.string().optional(),
    cursor: z.string().optional(),
  }),
);

/**
 * Returns the route declaration and the handler of a list of rows about addresses, newest first, with the filter `email`.
 * `all` selects the rows of a company. `byAddress` selects the rows of one address by its hashes.
 */
export function addressList<K extends string, Row extends { id: number }, T>(
  name: K,
  list: {
    all: (values: PageValues) => Bound<Row>;
    byAddress: (values: PageValues & { hashes: string[] }) => Bound<Row>;
    present: (row: Row) => T;
  },
) {
  return {
    declared: {
      query,
      input: async (request: { query: Record<string, string>; services: EmailServices }): Promise<Input> => ({
        ...readPage(request.query, position),
        hashes: await readAddressFilter(request.services, request.query.email),
      }),
      reads: ({ companyId, input: { after, limit, hashes } }: { companyId: number; input: Input }) => {
        const page = { companyId, beforeId: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
        return { page: hashes === null ? list.all(page) : list.byAddress({ ...page, hashes }) };
      },
    },
    handler: ({ c, input, results }: { c: EmailContext; input: Input; results: { page: Result<Row> } }) => {
      const page = splitPage(results.page.rows, input.limit, (row) => [row.id]);
      return c.json(presentResourcePage(name, page, list.present));
    },
  };
}
