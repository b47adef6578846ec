import * as z from "zod";
import { lazySchema } from "./lazy-schema";
import { booleanText } from "./query";

/** Query of `GET /api/v1/overview`. Only staff may use `all=true`. */
export const overviewQuery = lazySchema(() =>
  z.object({
    company_id: z.string().optional(),
    all: booleanText().optional().describe("staff only: all companies; not with `company_id`"),
  }),
);

const call = () =>
  z
    .object({ method: z.literal("GET"), path: z.string() })
    .nullable()
    .describe("the call that lists what was counted; null if only the calls of the companies do");

const count = () => z.int().min(0);

/** Response of `GET /api/v1/overview`. */
export const overviewSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int().nullable().describe("null for all companies"),
      entries: z.array(
        z.object({
          code: z.string(),
          severity: z.enum(["error", "warning"]),
          count: count(),
          is_capped: z.boolean().describe("true if the service read only a part, so that `count` is a lower bound"),
          since: z.iso.datetime().nullable().describe("the beginning of the time that is counted"),
          list: call(),
          companies: z
            .array(z.object({ company_id: z.int(), count: count(), list: call() }))
            .optional()
            .describe("only with `all=true`: the companies with the highest counts, at most ten"),
        }),
      ),
    })
    .meta({
      id: "Overview",
      examples: [
        {
          company_id: 42,
          entries: [
            {
              code: "webhooks_failing",
              severity: "error",
              count: 1,
              is_capped: false,
              since: null,
              list: { method: "GET", path: "/api/v1/actions/rules?company_id=42&is_failing=true" },
            },
          ],
        },
      ],
    }),
);
