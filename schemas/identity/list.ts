import * as z from "zod";
import { type LazySchema, lazySchema } from "../lazy-schema";

/** Query of a list: `page` from 1, `page_size` 1 to 100 (default 20). */
export const pageQuery = lazySchema(() => z.object({ page: z.string().optional(), page_size: z.string().optional() }));

/** Answer of a list; its example holds the examples of the row. */
export function pageSchema<S extends z.ZodType>(row: LazySchema<S>) {
  return lazySchema(() => {
    const results = (row.unwrap().meta()?.examples ?? []) as z.output<S>[];
    return z
      .object({ count: z.int(), page: z.int(), page_size: z.int(), results: z.array(row.unwrap()) })
      .meta({ examples: [{ count: results.length, page: 1, page_size: 20, results }] });
  });
}
