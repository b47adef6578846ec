import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { idText, timeText, uuidText } from "../../query";
import { addressPattern, canonicalAddress, isAddress } from "../../text/address";
import { lineSchema } from "../../text/text";
import { mailLine } from "../content/documents";
import { TRANSPORT_NAMES } from "../delivery/transports";

/** The states of a broadcast. */
export const BROADCAST_STATES = [
  ...(["draft", "scheduled", "queued", "preparing", "sending"] as const),
  ...(["paused", "sent", "failed", "cancelled"] as const),
] as const;

const AUDIENCE_MODES = ["filter", "pick", "newsletter"] as const;
const ROLES = ["owner", "staff", "member"] as const;
const ACCESS = ["enabled", "disabled", "any"] as const;
const MAX_GROUPS = 100;
const MAX_USERS = 1000;
const MAX_EMAILS = 1000;

/**
 * A list whose duplicates are removed by `keyOf`. An error applies to the whole list: `too_many`, or `invalid` when an item is
 * invalid. `openapi` describes an item in the OpenAPI document.
 */
const uniqueList = <T>(
  item: (value: unknown) => T | undefined,
  { max, keyOf, openapi }: { max: number; keyOf: (item: T) => unknown; openapi: Record<string, unknown> },
) =>
  z
    .custom<unknown[]>(Array.isArray, "invalid")
    .transform((items, context): T[] => {
      const values = items.length > max ? [] : items.map(item);
      const valid = values.filter((value) => value !== undefined) as T[];
      const code = items.length > max ? "too_many" : valid.length < values.length ? "invalid" : null;
      if (code !== null) context.addIssue({ code: "custom", message: code });
      return [...new Map(valid.map((value) => [keyOf(value), value])).values()];
    })
    .meta({ type: "array", maxItems: max, items: openapi });

const itemOf =
  <T>(schema: z.ZodType<T>) =>
  (value: unknown): T | undefined =>
    schema.safeParse(value).data;

const addressOf = (value: unknown): string | undefined => {
  const address = typeof value === "string" ? value.trim() : "";
  return isAddress(address) ? address : undefined;
};

/** "" or a time with an offset, which becomes ISO 8601 in UTC. */
const timeOrNone = () =>
  z
    .string("invalid")
    .trim()
    .transform((text, context) => {
      if (text === "") return "";
      const ms = timeText().safeParse(text).data;
      if (ms !== undefined) return new Date(ms).toISOString();
      context.addIssue({ code: "custom", message: "invalid" });
      return z.NEVER;
    })
    .meta({
      anyOf: [
        { type: "string", maxLength: 0 },
        { type: "string", format: "date-time" },
      ],
    });

const userId = (value: unknown): number | undefined =>
  typeof value === "number" ? idText().safeParse(String(value)).data : undefined;

/** The recipients of a broadcast. Missing fields get their defaults, and the result is complete. */
export const audienceSchema = lazySchema(() =>
  z
    .object(
      {
        mode: z.enum(AUDIENCE_MODES, "invalid").default("filter"),
        group_ids: uniqueList(itemOf(uuidText()), {
          max: MAX_GROUPS,
          keyOf: (id) => id,
          openapi: { type: "string", format: "uuid" },
        }).default([]),
        roles: uniqueList(itemOf(z.enum(ROLES)), {
          max: MAX_GROUPS,
          keyOf: (role) => role,
          openapi: { type: "string", enum: [...ROLES] },
        }).default([]),
        access: z.enum(ACCESS, "invalid").default("enabled"),
        joined_after: timeOrNone().default(""),
        joined_before: timeOrNone().default("").describe("inclusive"),
        seen_after: timeOrNone().default(""),
        seen_before: timeOrNone().default("").describe("inclusive; also matches users who were never seen"),
        user_ids: uniqueList(userId, {
          max: MAX_USERS,
          keyOf: (id) => id,
          openapi: { type: "integer", minimum: 1, maximum: 999_999_999_999_999 },
        }).default([]),
        emails: uniqueList(addressOf, {
          max: MAX_EMAILS,
          keyOf: canonicalAddress,
          openapi: { type: "string", maxLength: 254, pattern: addressPattern },
        }).default([]),
        list_id: z
          .int("invalid")
          .min(1, "invalid")
          .nullish()
          .describe("the newsletter; required in the mode `newsletter` and ignored in the others"),
      },
      "invalid",
    )
    .transform(({ list_id, ...audience }, context): typeof audience & { list_id?: number } => {
      if (audience.mode !== "newsletter") return audience;
      if (list_id === undefined || list_id === null) {
        context.addIssue({ code: "custom", message: "required", path: ["list_id"] });
        return z.NEVER;
      }
      return { ...audience, list_id };
    }),
);

const companyId = () => z.int("invalid").min(1, "invalid").nullish();
const newBroadcast = {
  name: "March news",
  source_key: "studio.newsletter",
  language: "en",
  audience: { mode: "filter", roles: ["owner", "member"] },
};

/** Body of a new broadcast. The handler checks `source_key`, `language` and `audience.list_id`. */
export const broadcastInputSchema = lazySchema(() =>
  z
    .object({
      company_id: companyId(),
      name: lineSchema(120),
      source_key: z.string("invalid").trim().min(1, "required").max(128, "invalid").describe("key of a library design"),
      subject: mailLine().optional().describe("default: the subject of the design, else the name"),
      preheader: mailLine().optional().describe("default: that of the design"),
      audience: audienceSchema.unwrap().optional(),
    })
    .meta({
      examples: [newBroadcast],
    }),
);

/** Body of `POST /api/v1/broadcasts` for the OpenAPI document. */
export const newBroadcastSchema = lazySchema(() =>
  broadcastInputSchema
    .unwrap()
    .extend({
      language: z
        .enum(["en", "fr"])
        .nullish()
        .describe('"en" when it is missing; recipients with another language get the same text'),
    })
    .meta({ examples: [newBroadcast] }),
);

/** Body of a changed draft. Missing fields keep their values. A new subject or preheader publishes a new version of the copy. */
export const broadcastChangeSchema = lazySchema(() =>
  z
    .object({
      name: lineSchema(120),
      subject: lineSchema(255),
      preheader: mailLine(),
      audience: audienceSchema.unwrap(),
    })
    .partial()
    .meta({ examples: [{ name: "March news", subject: "What is new in March" }] }),
);

const count = () => z.int().min(0);

/** The recipients by what happened to them. `total` is the sum of the other keys. */
export const broadcastCountsSchema = lazySchema(() =>
  z.object({
    total: count(),
    pending: count().describe("recipients whose message is not created yet"),
    skipped_unsubscribed: count(),
    skipped_suppressed: count(),
    queued: count().describe("messages that wait, are being sent or are retried"),
    sent: count().describe("messages that the provider accepted, without a later report"),
    delivered: count(),
    bounced: count(),
    complained: count(),
    cancelled: count(),
    failed: count().describe("messages that failed, expired or were suppressed after they were created"),
  }),
);
export type BroadcastCounts = z.output<typeof broadcastCountsSchema>;

const storedAudience = () =>
  z.object({
    mode: z.enum(AUDIENCE_MODES),
    group_ids: z.array(z.uuid()),
    roles: z.array(z.enum(ROLES)),
    access: z.enum(ACCESS),
    joined_after: z.string(),
    joined_before: z.string(),
    seen_after: z.string(),
    seen_before: z.string(),
    user_ids: z.array(z.int()),
    emails: z.array(z.string()),
    list_id: z.int().optional(),
  });

const summary = () => ({
  id: z.int(),
  company_id: z.int(),
  name: z.string(),
  state: z.enum(BROADCAST_STATES),
  delivery: z.enum(["", "bulk_lane"]),
  from_email: z.string().describe('"" in a draft'),
  template_id: z.int(),
  template_version: z.int().nullable().describe("the version that is sent; null in a draft"),
  language: z.enum(["en", "fr"]),
  audience: storedAudience(),
  counts: broadcastCountsSchema.unwrap().nullable().describe("null in a draft"),
  last_error_code: z.string(),
  send_at: z.iso.datetime().nullable().describe("the time for which the broadcast is scheduled"),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  sent_at: z.iso.datetime().nullable(),
});

const completeAudience = {
  mode: "filter" as const,
  group_ids: [],
  roles: ["owner" as const, "member" as const],
  access: "enabled" as const,
  joined_after: "",
  joined_before: "",
  seen_after: "",
  seen_before: "",
  user_ids: [],
  emails: [],
};
const exampleSummary = {
  id: 12,
  company_id: 42,
  name: "March news",
  state: "draft" as const,
  delivery: "" as const,
  from_email: "",
  template_id: 31,
  template_version: null,
  language: "en" as const,
  audience: completeAudience,
  counts: null,
  last_error_code: "",
  send_at: null,
  created_at: "2026-03-01T09:30:00.000Z",
  updated_at: "2026-03-01T09:30:00.000Z",
  sent_at: null,
};

/** A broadcast in a list. */
export const broadcastItemSchema = lazySchema(() => z.object(summary()));
export type PublicBroadcastItem = z.output<typeof broadcastItemSchema>;

/** Response of `GET /api/v1/broadcasts`. */
export const broadcastListSchema = lazySchema(() =>
  z
    .object({ broadcasts: z.array(broadcastItemSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ examples: [{ broadcasts: [exampleSummary], next_cursor: null }] }),
);

/** A broadcast with the subject of its published content, and the sender that it would use now. */
export const broadcastSchema = lazySchema(() =>
  z
    .object({
      ...summary(),
      provider_ref: z.string().describe("the id of the broadcast in webhooks of mail providers"),
      subject: z.string(),
      preheader: z.string(),
      sender: z.object({
        from_email: z.string(),
        from_name: z.string(),
        delivery: z.literal("bulk_lane"),
        error_code: z.string().describe('why the broadcast could not be sent now, or ""'),
        warnings: z.array(z.object({ code: z.string(), detail: z.string() })).describe("failed checks of the domain"),
      }),
    })
    .meta({
      id: "Broadcast",
      examples: [
        {
          ...exampleSummary,
          provider_ref: "bc_0f8a4c2e6b1d4f3a9c7e5d2b8a6f4c1e",
          subject: "What is new in March",
          preheader: "Three things",
          sender: {
            from_email: "news@aster.example",
            from_name: "Aster Labs",
            delivery: "bulk_lane" as const,
            error_code: "",
            warnings: [],
          },
        },
      ],
    }),
);
export type PublicBroadcast = z.output<typeof broadcastSchema>;

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
      provider: z.enum(TRANSPORT_NAMES),
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
