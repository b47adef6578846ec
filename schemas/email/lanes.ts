import * as z from "zod";

/** Lanes of mail (Document 2 "What the service does"). */
export const LANES = ["auth", "transactional", "bulk"] as const;
export type Lane = (typeof LANES)[number];

/** A lane in JSON; another value is `invalid`. */
export const laneSchema = z.enum(LANES, "invalid");

/** Body of pause and resume (email details 5.5). */
export const laneChangeSchema = z.object({
  reason: z
    .string("invalid")
    .trim()
    .refine((text) => !/\p{Cc}/u.test(text), "invalid")
    .refine((text) => [...text].length <= 200, "too_long")
    .default(""),
});

/** Answer of pause and resume; `company_id` only when the change is for one company. */
export const laneChangedSchema = z.object({
  lane: laneSchema,
  paused: z.boolean(),
  company_id: z.int().optional(),
});

/** A lane for every company, as staff left it. */
export const laneStateSchema = z.object({
  lane: laneSchema,
  paused: z.boolean(),
  reason: z.string(),
  paused_at: z.iso.datetime().nullable(),
  paused_by: z.int().nullable(),
});

/** A pause of one company: `scope` names the sender whose mail waits. */
export const companyPauseSchema = z.object({
  company_id: z.int(),
  lane: laneSchema,
  scope: z.enum(["company", "platform"]),
  reason: z.string(),
  paused_at: z.iso.datetime(),
});

export const laneListSchema = z.object({
  lanes: z.array(laneStateSchema),
  companies: z.array(companyPauseSchema),
  next_cursor: z.string().nullable(),
});
