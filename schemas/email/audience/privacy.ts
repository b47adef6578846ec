import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { addressPattern } from "../../text/address";
import { LANES } from "../delivery/lanes";
import { MESSAGE_STATUSES } from "../intake/send";
import { subscriberSchema } from "./subscribers";
import { SUPPRESSION_REASONS } from "./suppressions";

/** Body of `POST /api/v1/privacy/erase`. The handler also validates the address. */
export const eraseBody = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid"),
      email: z.string("invalid_format").trim().min(1, "required").meta({ pattern: addressPattern }),
    })
    .meta({ examples: [{ company_id: 3, email: "mina@aster.example" }] }),
);

/** Response of `POST /api/v1/privacy/export`: the data that a company has about an address, with one page of messages. */
export const exportSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      email: z.string(),
      messages: z
        .array(
          z.object({
            id: z.string(),
            service: z.string(),
            event_type: z.string(),
            template_key: z.string(),
            language: z.enum(["en", "fr"]),
            lane: z.enum(LANES),
            status: z.enum(MESSAGE_STATUSES),
            to_user_id: z.int().nullable(),
            accepted_at: z.iso.datetime(),
            sent_at: z.iso.datetime().nullable(),
            events: z.array(z.object({ type: z.string(), at: z.iso.datetime() })),
          }),
        )
        .describe("newest first; contents are not stored"),
      suppressions: z.array(
        z.object({
          reason: z.enum(SUPPRESSION_REASONS),
          lanes: z.array(z.enum(LANES)),
          expires_at: z.iso.datetime().nullable(),
          created_at: z.iso.datetime(),
        }),
      ),
      unsubscribes: z.array(z.object({ category: z.string(), source: z.string(), created_at: z.iso.datetime() })),
      decisions: z
        .array(
          z.object({ service: z.string(), event_type: z.string(), reason: z.string(), created_at: z.iso.datetime() }),
        )
        .describe("the newest 200 events that created no mail for the address"),
      broadcasts: z
        .array(z.object({ id: z.int(), name: z.string(), status: z.string() }))
        .describe(
          "the newest 200 broadcasts to the address; `status` is `pending`, `skipped_unsubscribed`, `skipped_suppressed`, `message` or `listed`: picked as an address",
        ),
      newsletters: z
        .array(
          subscriberSchema
            .unwrap()
            .omit({ id: true, email: true, first_name: true })
            .extend({ list_id: z.int(), list_name: z.string() }),
        )
        .describe("subscriptions of the address, with the proof of its consent"),
      rules: z
        .array(z.object({ id: z.int(), service: z.string(), event_type: z.string() }))
        .describe("email rules whose list contains the address"),
      next_cursor: z.string().nullable(),
    })
    .meta({
      examples: [
        {
          company_id: 3,
          email: "mina@aster.example",
          messages: [
            {
              id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
              service: "identity",
              event_type: "identity.user.invited",
              template_key: "identity.user.invited",
              language: "en",
              lane: "auth",
              status: "sent",
              to_user_id: 7,
              accepted_at: "2026-01-31T09:30:00.000Z",
              sent_at: "2026-01-31T09:30:01.000Z",
              events: [{ type: "queued", at: "2026-01-31T09:30:00.000Z" }],
            },
          ],
          suppressions: [],
          unsubscribes: [{ category: "bulk", source: "page", created_at: "2026-01-31T09:40:00.000Z" }],
          decisions: [],
          broadcasts: [{ id: 31, name: "October news", status: "message" }],
          newsletters: [
            {
              list_id: 12,
              list_name: "Product news",
              language: "en",
              status: "confirmed",
              source: "form",
              created_at: "2026-01-31T09:30:00.000Z",
              confirmed_at: "2026-01-31T09:34:00.000Z",
              unsubscribed_at: null,
              consent: { at: "2026-01-31T09:34:00.000Z", ip_hash: "5d".repeat(32), text_version: "9f".repeat(32) },
            },
          ],
          rules: [{ id: 12, service: "hosting", event_type: "hosting.deployment.failed" }],
          next_cursor: null,
        },
      ],
    }),
);
export type AddressExport = z.output<typeof exportSchema>;

/** Response of an erasure. */
export const erasedSchema = lazySchema(() =>
  z
    .object({
      deleted_messages: z
        .int()
        .describe("number of messages, including those whose deletion continues in the background"),
      email_masked: z.string(),
    })
    .meta({ examples: [{ deleted_messages: 4, email_masked: "m***@aster.example" }] }),
);
