import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern, canonicalAddress } from "../../text/address";
import { COMPANY_TRANSPORT_NAMES } from "../delivery/transports";
import { addressOf, audienceSchema, uniqueList, userId } from "./audience";

const count = () => z.int().min(0);

/** Body of a preview. The default audience is the stored one. */
export const audiencePreviewInputSchema = lazySchema(() =>
  z
    .object({ audience: audienceSchema.unwrap().optional() })
    .meta({ examples: [{ audience: { mode: "filter", roles: ["owner"] } }, {}] }),
);

/** Response of a preview: how many recipients the broadcast would have now. */
export const audiencePreviewSchema = lazySchema(() =>
  z
    .object({
      total: count(),
      sendable: count(),
      unsubscribed: count(),
      suppressed: count().describe("suppressed recipients that have not unsubscribed"),
      languages: z.record(z.string(), count()).describe("recipients by language"),
      samples: z.array(z.string()).describe("up to five masked addresses"),
      complete: z.boolean().describe("false when the split is extrapolated from the first 1,000 recipients"),
    })
    .meta({
      examples: [
        {
          total: 3,
          sendable: 2,
          unsubscribed: 1,
          suppressed: 0,
          languages: { en: 2, fr: 1 },
          samples: ["m***@aster.example"],
          complete: true,
        },
      ],
    }),
);
export type AudiencePreview = z.output<typeof audiencePreviewSchema>;

/** Body of a request that sends or schedules a broadcast. */
export const broadcastSendSchema = lazySchema(() =>
  z
    .object({
      send_at: z
        .string("invalid")
        .nullish()
        .meta({ format: "date-time", description: "a time with an offset, at most 90 days ahead; default: at once" }),
    })
    .meta({ examples: [{ send_at: "2026-03-02T08:00:00+01:00" }, {}] }),
);

/** Maximum number of recipients of a test. */
export const MAX_TEST_RECIPIENTS = 5;

/** Body of a test: members of the company. The default is the caller. */
export const broadcastTestSchema = lazySchema(() =>
  z
    .object({
      user_ids: uniqueList(userId, {
        max: MAX_TEST_RECIPIENTS,
        keyOf: (id) => id,
        openapi: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
      }).default([]),
      emails: uniqueList(addressOf, {
        max: MAX_TEST_RECIPIENTS,
        keyOf: canonicalAddress,
        openapi: { type: "string", maxLength: 254, pattern: addressPattern },
      }).default([]),
    })
    .meta({ examples: [{ user_ids: [7] }, {}] }),
);

/** Response of a test. */
export const broadcastTestSentSchema = lazySchema(() =>
  z
    .object({
      status: z.literal("sent"),
      sent: z.int().min(1),
      provider: z.enum(COMPANY_TRANSPORT_NAMES),
      sender: z.object({ scope: z.enum(["company", "platform"]), from_email: z.string() }),
    })
    .meta({
      examples: [
        { status: "sent", sent: 1, provider: "api", sender: { scope: "company", from_email: "news@aster.example" } },
      ],
    }),
);

const CHECK_CODES = [
  ...(["sender", "lane", "unsubscribe_link", "subject", "preheader", "size"] as const),
  ...(["insecure_links", "alt_text", "placeholder_text", "audience"] as const),
] as const;

/** Response of the checks of a broadcast. An error prevents sending, a warning does not. */
export const broadcastChecksSchema = lazySchema(() =>
  z
    .object({
      checks: z.array(
        z.object({ code: z.enum(CHECK_CODES), level: z.enum(["error", "warning", "ok"]), detail: z.string() }),
      ),
    })
    .meta({
      examples: [
        {
          checks: [
            { code: "sender", level: "error", detail: "bulk_sender_required" },
            { code: "subject", level: "ok", detail: "" },
          ],
        },
      ],
    }),
);
export type BroadcastCheck = z.output<typeof broadcastChecksSchema>["checks"][number];
