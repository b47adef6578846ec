import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** The counts in statistics, in the order of the response. */
export const COUNT_KEYS = [
  ...(["sent", "delivered", "bounced", "complained"] as const),
  ...(["expired", "failed", "queued", "suppressed", "cancelled"] as const),
];

/** The reasons why an accepted event created no message. `rule_disabled` occurs only in old rows. */
export const SKIP_REASONS = ["no_recipients", "rule_disabled", "no_rule"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The reasons why a recipient of an event or an item of a batch got no message. */
export const REFUSAL_REASONS = ["recipient_suppressed", "unsubscribed"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The codes of warnings in statistics. */
const STATS_WARNINGS = ["smtp_reports_no_deliveries"] as const;

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

const rate = () => z.number().min(0).max(1).nullable();
const refusals = () =>
  z.object(
    Object.fromEntries(["total", ...REFUSAL_REASONS].map((key) => [key, z.int()])) as Record<
      "total" | RefusalReason,
      z.ZodInt
    >,
  );

/** Response of `GET /api/v1/stats`. */
export const statsSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      totals: counts(),
      skipped: z.object({ total: z.int(), no_recipients: z.int(), rule_disabled: z.int(), no_rule: z.int() }),
      refused: refusals().describe("recipients of events and batches that got no message, because they are suppressed"),
      rates: z
        .object({ delivered: rate(), bounced: rate(), complained: rate() })
        .describe("shares of `sent`, from 0 to 1; null when nothing was sent, or when no results are reported"),
      warnings: z
        .array(z.object({ code: z.enum(STATS_WARNINGS), detail: z.enum(["company", "platform"]) }))
        .describe(
          "`smtp_reports_no_deliveries`: the company's or the platform's SMTP server has no webhook of its provider",
        ),
      by_lane: z.record(z.string(), counts()),
      by_event: z.record(z.string(), counts()).describe("counts by event of the catalog"),
      by_internal: z
        .record(z.string(), counts())
        .describe("counts of broadcasts, newsletter confirmations and emails without tags"),
      by_tag: z.record(z.string(), counts()).describe("counts of emails with their own content, by their first tag"),
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
          refused: { total: 2, recipient_suppressed: 1, unsubscribed: 1 },
          rates: { delivered: 0.975, bounced: 0.0167, complained: 0 },
          warnings: [],
          by_lane: { auth: example },
          by_event: { "identity.auth.magic_link.requested": example },
          by_internal: {},
          by_tag: { "category:order": example },
          by_day: [{ day: "2026-01-31", ...example }],
        },
      ],
    }),
);
export type Stats = z.output<typeof statsSchema>;
