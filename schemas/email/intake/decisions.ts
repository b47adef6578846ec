import * as z from "zod";
import { lazySchema } from "../../lazy-schema";

/** The reasons why no message was created for an accepted event, one of its recipients, or an item of a batch. */
export const DECISION_REASONS = ["no_rule", "no_recipients", "recipient_suppressed", "unsubscribed"] as const;

/** The number of days for which decisions are stored. */
export const DECISION_DAYS = 30;

const decisionSchema = lazySchema(() =>
  z
    .object({
      id: z.string(),
      service: z.string(),
      event_type: z.string(),
      reason: z.enum(DECISION_REASONS),
      rule_id: z.int().nullable().describe("null when the event has no rule, and for an item of a batch"),
      recipient_masked: z
        .string()
        .nullable()
        .describe("recipient without mail; null when the decision concerns no single recipient"),
      request_id: z.string(),
      created_at: z.iso.datetime(),
    })
    .meta({ id: "Decision" }),
);

/** Response of `GET /api/v1/decisions`. */
export const decisionListSchema = lazySchema(() =>
  z.object({ decisions: z.array(decisionSchema.unwrap()), next_cursor: z.string().nullable() }).meta({
    examples: [
      {
        decisions: [
          {
            id: "01a205113294713d8010a617ab2e887d",
            service: "identity",
            event_type: "identity.user.created",
            reason: "unsubscribed",
            rule_id: 12,
            recipient_masked: "m***@example.com",
            request_id: "01a20511-328d-77d5-8011-ef7a7a1a453c",
            created_at: "2026-01-31T09:30:00.000Z",
          },
        ],
        next_cursor: null,
      },
    ],
  }),
);
