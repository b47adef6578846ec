import * as z from "zod";
import { lazySchema } from "../lazy-schema";
import { cursorPageSchema } from "../webhooks/page";

/** Query of a list: `page` from 1, `page_size` 1 to 100 (default 20); `cursor` replaces `page`. */
export const pageQuery = lazySchema(() =>
  z.object({
    page: z.string().optional(),
    page_size: z.string().optional(),
    cursor: z.string().optional().describe("`next_cursor` of the page before"),
  }),
);

/** Answer of a list; its example holds the examples of the row. */
export const pageSchema = cursorPageSchema;
