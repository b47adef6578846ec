import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** One page of `GET /api/v1/audit`. */
export const auditListSchema = lazySchema(() =>
  z
    .object({
      entries: z.array(
        z.object({
          id: z.int(),
          at: z.iso.datetime(),
          actor: z.object({ kind: z.enum(["session", "pat", "service", "operator"]), user_id: z.int().nullable() }),
          company_id: z.int().nullable().describe("null for changes outside a company"),
          action: z.string(),
          target: z.string(),
          changes: z.looseObject({}),
        }),
      ),
      next_cursor: z.string().nullable(),
    })
    .meta({
      examples: [
        {
          entries: [
            {
              id: 7,
              at: "2026-01-31T09:30:00.000Z",
              actor: { kind: "session", user_id: 5 },
              company_id: 42,
              action: "rule.created",
              target: "rule:12",
              changes: { event_type: "hosting.deployment.failed" },
            },
          ],
          next_cursor: null,
        },
      ],
    }),
);
