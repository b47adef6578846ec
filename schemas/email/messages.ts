import * as z from "zod";
import { MESSAGE_STATUSES } from "./send";

export const MESSAGE_LANES = ["auth", "transactional", "bulk"] as const;
const status = z.enum(MESSAGE_STATUSES);
const lane = z.enum(MESSAGE_LANES);
const instant = z.iso.datetime();

/** Status response of one message (Document 2, "Message"; details 4.1). */
export const messageSchema = z.object({
  id: z.string(),
  company_id: z.int(),
  service: z.string(),
  template_key: z.string(),
  lane,
  status,
  provider: z.enum(["", "api", "smtp"]),
  accepted_at: instant,
  expires_at: instant.nullable(),
  sent_at: instant.nullable(),
  last_error_code: z.string().nullable(),
  bounce: z.looseObject({ type: z.enum(["permanent", "transient", "undetermined"]) }).nullable(),
  to_masked: z.string(),
  trace: z.looseObject({}),
  events: z.array(z.object({ type: z.string(), at: instant })),
});
export type PublicMessage = z.output<typeof messageSchema>;

/** Answer of a cancellation. */
export const cancelledSchema = z.object({ id: z.string(), status: z.literal("cancelled") });

/** One message of a list; `to` is masked. */
export const messageListItemSchema = z.object({
  id: z.string(),
  template_key: z.string(),
  lane,
  status,
  to: z.string(),
  accepted_at: instant,
  service: z.string(),
  event_type: z.string(),
  language: z.enum(["en", "fr"]),
  last_error_code: z.string().nullable(),
});
export type MessageListItem = z.output<typeof messageListItemSchema>;

/** One page of `GET /api/v1/messages`. */
export const messageListSchema = z.object({
  company_id: z.int(),
  messages: z.array(messageListItemSchema),
  next_cursor: z.string().nullable(),
});
