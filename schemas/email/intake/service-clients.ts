import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { isLine, linePattern } from "../../text/text";
import { LANES, laneSchema } from "../delivery/lanes";
import { listOf } from "../list";

/** Body of `POST /api/v1/service-clients`. Some defaults depend on `service`. */
export const serviceClientInputSchema = lazySchema(() =>
  z
    .object({
      service: z.string("invalid").regex(/^[a-z0-9_-]{1,64}$/, "invalid"),
      name: z
        .string("invalid")
        .trim()
        .refine(isLine, "invalid")
        .refine((text) => [...text].length <= 128, "too_long")
        .meta({ maxLength: 128, pattern: linePattern })
        .optional(),
      allowed_lanes: listOf(laneSchema.unwrap(), LANES.length, { type: "string", enum: [...LANES] }).default([
        "transactional",
      ]),
      allowed_template_prefixes: listOf(z.string().regex(/^[!-~]{1,64}$/), 100, {
        type: "string",
        pattern: "^[!-~]{1,64}$",
      }).optional(),
      allowed_company_ids: listOf(z.int().min(1), 1000, { type: "integer", minimum: 1 })
        .refine((ids) => ids.length > 0, "invalid")
        .nullable()
        .default(null)
        .meta({ type: ["array", "null"], minItems: 1 }),
    })
    .transform((input) => ({
      service: input.service,
      name: input.name || input.service,
      allowed_lanes: input.allowed_lanes,
      allowed_template_prefixes: input.allowed_template_prefixes ?? [`${input.service}.`],
      allowed_company_ids: input.allowed_company_ids,
    }))
    .meta({ examples: [{ service: "hosting", name: "Hosting", allowed_lanes: ["transactional"] }] }),
);

/** Body of a key rotation. `overlap_hours` is the time for which the old key remains valid. */
export const rotateKeySchema = lazySchema(() =>
  z
    .object({
      overlap_hours: z.int("invalid").min(0, "out_of_range").max(168, "out_of_range").default(24),
    })
    .meta({ examples: [{ overlap_hours: 24 }] }),
);

const exampleClient = {
  id: 3,
  service: "hosting",
  name: "Hosting",
  key_prefix: "esk_AbCdEfGh",
  allowed_lanes: ["transactional" as const],
  allowed_template_prefixes: ["hosting."],
  allowed_company_ids: null,
};

/** A client with its key in plain text. Only the responses to creation and rotation contain the key. */
export const serviceClientKeySchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      service: z.string(),
      name: z.string(),
      key: z.string(),
      key_prefix: z.string(),
      allowed_lanes: z.array(laneSchema.unwrap()),
      allowed_template_prefixes: z.array(z.string()),
      allowed_company_ids: z.array(z.int()).nullable(),
    })
    .meta({
      id: "ServiceClientKey",
      examples: [{ ...exampleClient, key: "esk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-ABCDE" }],
    }),
);

const exampleListed = {
  ...exampleClient,
  has_callback: false,
  active: true,
  last_used_at: null,
  created_at: "2026-01-31T09:30:00.000Z",
};

export const serviceClientSchema = lazySchema(() =>
  serviceClientKeySchema
    .unwrap()
    .omit({ key: true })
    .extend({
      has_callback: z.boolean(),
      active: z.boolean(),
      last_used_at: z.iso.datetime().nullable(),
      created_at: z.iso.datetime(),
    })
    .meta({ id: "ServiceClient", examples: [exampleListed] }),
);

export const serviceClientListSchema = lazySchema(() =>
  z
    .object({
      clients: z.array(serviceClientSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({ examples: [{ clients: [exampleListed], next_cursor: null }] }),
);
