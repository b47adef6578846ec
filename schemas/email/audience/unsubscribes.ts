import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

const example = {
  id: 12,
  email_masked: "m***@aster.example",
  category: "transactional",
  source: "one_click",
  created_at: "2026-01-31T09:30:00.000Z",
};

export const unsubscribeSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      email_masked: z.string().nullable().describe("taken from a stored message; null when none is left"),
      category: z.string(),
      source: z.string(),
      created_at: z.iso.datetime(),
    })
    .meta({ id: "Unsubscribe", examples: [example] }),
);

/** Response of `GET /api/v1/unsubscribes`. */
export const unsubscribeListSchema = lazySchema(() =>
  z
    .object({
      unsubscribes: z.array(unsubscribeSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({ examples: [{ unsubscribes: [example], next_cursor: null }] }),
);
