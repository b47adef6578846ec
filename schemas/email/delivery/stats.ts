import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** The counts in statistics, in the order of the response. */
export const COUNT_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["expired", "failed", "queued", "suppressed", "cancelled"] as const),
];

/** The reasons why an accepted event created no message. `rule_disabled` occurs only in old rows. */
export const SKIP_REASONS = ["no_recipients", "rule_disabled", "no_rule"] as const;

const counts = () =>
  z.object(
    Object.fromEntries(COUNT_KEYS.map((key) => [key, z.int()])) as Record<(typeof COUNT_KEYS)[number], z.ZodInt>,
  );

const example = {
  sent: 120,
  delivered: 117,
  bounced: 2,
  complained: 0,
  expired: 1,
  failed: 0,
  queued: 3,
  suppressed: 0,
  cancelled: 0,
};

/** Response of `GET /api/v1/stats`. */
export const statsSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      totals: counts(),
      skipped: z.object({ total: z.int(), no_recipients: z.int(), rule_disabled: z.int(), no_rule: z.int() }),
      by_lane: z.record(z.string(), counts()),
      by_event: z.record(z.string(), counts()).describe("counts by event of the catalog"),
      by_internal: z.record(z.string(), counts()).describe("counts of broadcasts and newsletter confirmations"),
      by_day: z.array(counts().extend({ day: z.iso.date() })),
    })
    .meta({
      examples: [
        {
          company_id: 42,
          from: "2026-01-01T00:00:00.000Z",
          to: "2026-02-01T00:00:00.000Z",
          totals: example,
          skipped: { total: 4, no_recipients: 1, rule_disabled: 0, no_rule: 3 },
          by_lane: { auth: example },
          by_event: { "identity.auth.magic_link.requested": example },
          by_internal: {},
          by_day: [{ day: "2026-01-31", ...example }],
        },
      ],
    }),
);
export type Stats = z.output<typeof statsSchema>;
