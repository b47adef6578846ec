import * as z from "zod";
import { type LazySchema, lazySchema } from "./lazy-schema";

/** Query of a numbered list. `page` starts at 1; `page_size` is 1 to 100 (default 20). `cursor` replaces `page`. */
export const pageQuery = lazySchema(() =>
  z.object({
    page: z.string().optional(),
    page_size: z.string().optional().describe("1 to 100"),
    cursor: z.string().optional().describe("`next_cursor` of the previous page"),
  }),
);

/** Returns the fields of pageQuery and `company_id`. */
export const companyPageQuery = () => ({ company_id: z.string().optional(), ...pageQuery.unwrap().shape });

/**
 * Returns the response of a numbered list. Pages by cursor omit `count` and `page`. The example of the response contains the
 * examples of the row.
 */
export function pageSchema<S extends z.ZodType>(row: LazySchema<S>, pageSize = 20) {
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
