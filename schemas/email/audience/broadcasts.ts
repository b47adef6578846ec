import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema } from "../../text/text";
import { mailLine } from "../content/documents";
import { audienceSchema, storedAudience } from "./audience";

/** The states of a broadcast. */
export const BROADCAST_STATES = [
  ...(["draft", "scheduled", "queued", "preparing", "sending"] as const),
  ...(["paused", "sent", "failed", "cancelled"] as const),
] as const;

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
