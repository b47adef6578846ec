import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { LANES, laneSchema } from "../delivery/lanes";
import { listOf } from "../list";

export const SUPPRESSION_REASONS = ["hard_bounce", "complaint", "manual", "provider"] as const;

/** Body of `POST /api/v1/suppressions`. The handler also validates the address. */
export const suppressionInputSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").nullish(),
      email: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }),
      reason: z.enum(SUPPRESSION_REASONS, "invalid").default("manual"),
      lanes: listOf(laneSchema.unwrap(), LANES.length, { type: "string", enum: [...LANES] }).default([]),
      expires_at: z.iso
        .datetime({ offset: true, error: "invalid" })
        .transform((text) => Date.parse(text))
        .nullable()
        .default(null),
    })
    .refine(({ lanes, reason }) => !lanes.includes("auth") || reason === "hard_bounce", {
      path: ["lanes"],
      message: "invalid",
    })
    .meta({ examples: [{ email: "mina@example.com", reason: "manual", lanes: ["transactional"] }] }),
);

const example = { id: 3, email_masked: "m***@example.com", reason: "manual" as const };

/** Response of `POST /api/v1/suppressions`. */
export const suppressionCreatedSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      email_masked: z.string(),
      reason: z.enum(SUPPRESSION_REASONS),
    })
    .meta({ examples: [example] }),
);

export const suppressionSchema = lazySchema(() =>
  suppressionCreatedSchema
    .unwrap()
    .extend({
      lanes: z.array(laneSchema.unwrap()),
      expires_at: z.iso.datetime().nullable(),
      created_at: z.iso.datetime(),
    })
    .meta({ id: "Suppression" }),
);

export const suppressionListSchema = lazySchema(() =>
  z
    .object({
      suppressions: z.array(suppressionSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({
      examples: [
        {
          suppressions: [
            { ...example, lanes: ["transactional"], expires_at: null, created_at: "2026-01-31T09:30:00.000Z" },
          ],
          next_cursor: null,
        },
      ],
    }),
);
