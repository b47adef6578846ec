import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { isLine, linePattern } from "../../text/text";

/** Separate streams of mail; none waits for another. */
export const LANES = ["auth", "transactional", "bulk"] as const;
export type Lane = (typeof LANES)[number];

/** A lane. The error code for any other value is `invalid`. */
export const laneSchema = lazySchema(() => z.enum(LANES, "invalid"));

/** Body of the requests to pause and resume a lane. */
export const laneChangeSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").nullish(),
      reason: z
        .string("invalid")
        .trim()
        .refine(isLine, "invalid")
        .refine((text) => [...text].length <= 200, "too_long")
        .meta({ maxLength: 200, pattern: linePattern })
        .default(""),
    })
    .meta({ examples: [{ reason: "The provider reports an outage" }] }),
);

/** Response to pausing or resuming a lane. `company_id` is set only when the change applies to one company. */
export const laneChangedSchema = lazySchema(() =>
  z
    .object({
      lane: laneSchema.unwrap(),
      paused: z.boolean(),
      company_id: z.int().optional(),
    })
    .meta({ examples: [{ lane: "transactional", paused: true, company_id: 42 }] }),
);

/** A lane, and whether staff paused it for all companies. */
export const laneStateSchema = lazySchema(() =>
  z.object({
    lane: laneSchema.unwrap(),
    paused: z.boolean(),
    reason: z.string(),
    paused_at: z.iso.datetime().nullable(),
    paused_by: z.int().nullable(),
  }),
);

/**
 * A pause of a lane for one company. `scope` says which mail waits: mail sent by the company's own provider (`company`) or by
 * the platform (`platform`).
 */
export const companyPauseSchema = lazySchema(() =>
  z.object({
    company_id: z.int(),
    lane: laneSchema.unwrap(),
    scope: z.enum(["company", "platform"]),
    reason: z.string(),
    paused_at: z.iso.datetime(),
  }),
);

export const laneListSchema = lazySchema(() =>
  z
    .object({
      lanes: z.array(laneStateSchema.unwrap()),
      companies: z.array(companyPauseSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({
      examples: [
        {
          lanes: [{ lane: "auth", paused: false, reason: "", paused_at: null, paused_by: null }],
          companies: [
            {
              company_id: 42,
              lane: "transactional",
              scope: "company",
              reason: "too many bounces",
              paused_at: "2026-01-31T09:30:00.000Z",
            },
          ],
          next_cursor: null,
        },
      ],
    }),
);
