import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { MESSAGE_STATUSES } from "../intake/send";
import { LANES } from "./lanes";
import { TRANSPORT_NAMES } from "./transports";

const status = () => z.enum(MESSAGE_STATUSES);
const lane = () => z.enum(LANES);
const instant = () => z.iso.datetime();

/** Status response of one message. */
export const messageSchema = lazySchema(() =>
  z
    .object({
      id: z.string(),
      company_id: z.int(),
      service: z.string(),
      template_key: z.string(),
      event_type: z.string(),
      template_version: z.int().nullable(),
      broadcast_id: z.int().nullable().describe("the broadcast that created the message"),
      broadcast: z.object({ id: z.int(), name: z.string() }).nullable(),
      language: z.enum(["en", "fr"]),
      request_id: z.string().describe("request id of the call that sent the message"),
      provider_message_id: z.string().nullable(),
      attempts: z.int(),
      next_attempt_at: instant().nullable(),
      lane: lane(),
      status: status(),
      provider: z.enum(["", ...TRANSPORT_NAMES]),
      accepted_at: instant(),
      expires_at: instant().nullable(),
      sent_at: instant().nullable(),
      last_error_code: z.string().nullable(),
      bounce: z.looseObject({ type: z.enum(["permanent", "transient", "undetermined"]) }).nullable(),
      to_masked: z.string(),
      trace: z.looseObject({}),
      events: z.array(
        z.object({
          type: z.string(),
          at: instant(),
          stream: z.string().optional().describe("stream of the provider's webhook"),
          detail: z.string().optional().describe("the provider's response, filtered"),
        }),
      ),
    })
    .meta({
      id: "Message",
      examples: [
        {
          id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
          company_id: 42,
          service: "identity",
          template_key: "identity.user.created",
          event_type: "identity.user.created",
          template_version: null,
          broadcast_id: null,
          broadcast: null,
          language: "en",
          request_id: "8f1c2d7e-0b6a-4c55-9a54-2f1f0c3f9d11",
          provider_message_id: "5c1de1a2",
          attempts: 1,
          next_attempt_at: null,
          lane: "transactional",
          status: "sent",
          provider: "api",
          accepted_at: "2026-01-31T09:30:00.000Z",
          expires_at: null,
          sent_at: "2026-01-31T09:30:01.000Z",
          last_error_code: null,
          bounce: null,
          to_masked: "m***@example.com",
          trace: {},
          events: [
            { type: "queued", at: "2026-01-31T09:30:00.000Z" },
            { type: "sent", at: "2026-01-31T09:30:01.000Z" },
          ],
        },
      ],
    }),
);
export type PublicMessage = z.output<typeof messageSchema>;

/** Response of a cancellation. */
export const cancelledSchema = lazySchema(() =>
  z
    .object({ id: z.string(), status: z.literal("cancelled") })
    .meta({ examples: [{ id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77", status: "cancelled" }] }),
);

/** One message of a list. `to` is a masked address. */
export const messageListItemSchema = lazySchema(() =>
  z.object({
    id: z.string(),
    template_key: z.string(),
    lane: lane(),
    status: status(),
    to: z.string(),
    accepted_at: instant(),
    service: z.string(),
    event_type: z.string(),
    language: z.enum(["en", "fr"]),
    last_error_code: z.string().nullable(),
  }),
);
export type MessageListItem = z.output<typeof messageListItemSchema>;

/** One page of `GET /api/v1/messages`. */
export const messageListSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int(),
      messages: z
        .array(messageListItemSchema.unwrap())
        .describe("with filters, a page may be short or empty although more pages follow"),
      next_cursor: z.string().nullable().describe("cursor of the next page; null on the last page"),
    })
    .meta({
      examples: [
        {
          company_id: 42,
          messages: [
            {
              id: "msg_0b8f6c1e4f574a559d2c0d1f3f1c9a77",
              template_key: "identity.user.created",
              lane: "transactional",
              status: "sent",
              to: "m***@example.com",
              accepted_at: "2026-01-31T09:30:00.000Z",
              service: "identity",
              event_type: "identity.user.created",
              language: "en",
              last_error_code: null,
            },
          ],
          next_cursor: null,
        },
      ],
    }),
);
