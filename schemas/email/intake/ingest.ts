import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { REFUSAL_REASONS } from "../delivery/stats";
import { messageItemSchema, timeZoneSchema } from "./send";

/** The reasons why an accepted event created no message for any recipient. */
export const SKIPPED_REASONS = ["no_rule", "no_recipients"] as const;
export type SkippedReason = (typeof SKIPPED_REASONS)[number];

const languageSchema = () => z.enum(["en", "fr", ""]).nullish();

/** Body of `POST /api/v1/events`, only for the OpenAPI document. events/event-input.ts validates the body. */
export const eventBodySchema = lazySchema(() =>
  z
    .object({
      company_id: z.int().min(1),
      service: z.string().nullish().describe("the service of the key, which is the default"),
      event_type: z.string().min(1).describe("an event of the catalog that belongs to the service"),
      language: languageSchema().describe('default `en`, also for ""'),
      ttl_seconds: z.int().min(1).nullish(),
      idempotency_key: z.string().regex(/\S/).max(200).nullish(),
      payload: z.record(z.string(), z.unknown()).nullish().describe("variables of the event; unknown ones are ignored"),
      recipients: z
        .array(
          z.object({
            email: z
              .string()
              .max(254)
              .meta({ pattern: `^\\s*$|${addressPattern}` })
              .nullish()
              .describe("an entry without it is ignored"),
            user_id: z.union([z.int().min(1), z.string().regex(/^[1-9]\d*$/)]).nullish(),
            language: z.string().nullish().describe("`en` or `fr`; other values are ignored"),
            time_zone: timeZoneSchema(),
            name: z.string().nullish().describe("name for the greeting; ignored above 100 characters"),
          }),
        )
        .nullish(),
    })
    .meta({
      examples: [
        {
          company_id: 42,
          event_type: "hosting.app.created",
          idempotency_key: "0b8f6c1e-4f57-4a55-9d2c-0d1f3f1c9a77",
          payload: { display_name: "Field Notes" },
          recipients: [{ email: "mina@example.com", user_id: 7, language: "fr", name: "Mina" }],
        },
      ],
    }),
);

/** Response of `POST /api/v1/events`. */
export const eventAnswerSchema = lazySchema(() =>
  z
    .object({
      idempotent_replay: z.boolean(),
      rule_enabled: z.boolean(),
      skipped_reason: z
        .enum(SKIPPED_REASONS)
        .optional()
        .describe("why there are no messages; do not send the event again"),
      skipped: z
        .array(z.object({ reason: z.enum(REFUSAL_REASONS), count: z.int() }))
        .optional()
        .describe("when every recipient was refused: the number of recipients by reason"),
      messages: z.array(messageItemSchema.unwrap()).describe("one message for each rule and recipient"),
    })
    .meta({
      examples: [
        { idempotent_replay: false, rule_enabled: false, skipped_reason: "no_rule", messages: [] },
        {
          idempotent_replay: false,
          rule_enabled: true,
          skipped: [{ reason: "unsubscribed", count: 1 }],
          messages: [],
        },
      ],
    }),
);
