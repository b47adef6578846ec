import * as z from "zod";
import { type LazySchema, lazySchema } from "../lazy-schema";

/** Query of a paged list: `cursor` replaces `page`, and its answers leave `count` out. */
export const pagingQuery = () => ({
  company_id: z.string().optional(),
  page: z.string().optional(),
  page_size: z.string().optional().describe("1 to 100"),
  cursor: z.string().optional().describe("`next_cursor` of the page before"),
});

/** A page by `page` with a `count` that stops at 4000, or by `cursor` without both. */
export function cursorPageSchema<S extends z.ZodType>(row: LazySchema<S>, pageSize = 20) {
  return lazySchema(() => {
    const results = (row.unwrap().meta()?.examples ?? []) as z.output<S>[];
    return z
      .object({
        count: z.int().optional(),
        page: z.int().optional(),
        page_size: z.int(),
        results: z.array(row.unwrap()),
        next_cursor: z.string().nullable(),
      })
      .meta({ examples: [{ count: results.length, page: 1, page_size: pageSize, results, next_cursor: null }] });
  });
}
