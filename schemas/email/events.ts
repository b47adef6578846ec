import { type EventEntry, type PayloadField, ruleFailing, ruleFailingFields, staffOnly, webhook } from "../event-entry";

/** Every event type of email, in display order. */
export const emailEvents = [
  webhook("email.message.sent", "Message sent", "The provider has accepted a message."),
  webhook("email.message.delivered", "Message delivered", "The provider has delivered a message."),
  webhook("email.message.delivery_delayed", "Delivery delayed", "The provider could not deliver a message yet."),
  webhook("email.message.bounced", "Message bounced", "The recipient's mail server rejected a message."),
  webhook("email.message.complained", "Message reported", "The recipient has reported a message as spam."),
  webhook("email.message.failed", "Message failed", "A message could not be sent and is not retried."),
  webhook("email.message.expired", "Message expired", "A message was not sent before it expired."),
  webhook(
    "email.message.suppressed",
    "Message suppressed",
    "A message was not sent, because its recipient is suppressed or unsubscribed.",
  ),
  webhook(
    "email.unsubscribe.created",
    "Unsubscribed",
    "An address has unsubscribed from a category of the company's mail.",
  ),
  webhook("email.broadcast.sent", "Broadcast sent", "The last message of a broadcast has ended."),
  webhook("email.broadcast.failed", "Broadcast failed", "A broadcast has failed before it sent any mail."),
  webhook(
    "email.broadcast.cancelled",
    "Broadcast cancelled",
    "A broadcast was cancelled, and its waiting messages are removed.",
  ),
  webhook("email.newsletter.confirmed", "Newsletter confirmed", "A subscriber has confirmed their address."),
  webhook(
    "email.newsletter.unsubscribed",
    "Newsletter unsubscribed",
    "A subscriber has unsubscribed from a newsletter.",
  ),
  webhook(
    "email.lane.paused",
    "Bulk mail paused",
    "Bulk mail of the company was paused because too many recipients reported it as spam.",
  ),
  webhook("email.action_rule.failing", ...ruleFailing),
  staffOnly("email.scheduled_job.succeeded", "Job succeeded", "A run of a scheduled job has succeeded."),
  staffOnly("email.scheduled_job.failed", "Job failed", "A run of a scheduled job has failed."),
] as const satisfies readonly EventEntry[];

export type EmailEventType = (typeof emailEvents)[number]["type"];

const field = (name: string, description: string, example: unknown): PayloadField => ({ name, description, example });

const messageFields = [
  field("message_id", "id of the message", "msg_019ab3f2c4d57e8a9b0c1d2e3f405162"),
  field("template_key", "key of the template", "identity.user.invited"),
  field("lane", "`auth`, `transactional` or `bulk`", "auth"),
  field("service", "service that sent the message", "identity"),
  field("to_email", "address of the recipient", "mina@example.com"),
  field("to_user_id", "id of the recipient's user, null when unknown", 7),
  field("event_type", "event type that caused the message", "identity.user.invited"),
  field("template_version", "published version of the company's custom template, if one was used", 3),
];
const stream = field("stream", "stream of the provider's webhook, if its event caused this one", "transactional");
const newsletterFields = (source: string) => [
  field("list_id", "id of the newsletter", 12),
  field("list_name", "name of the newsletter", "Product news"),
  field("email", "address of the subscriber", "mina@example.com"),
  field("language", "language of the subscriber", "en"),
  field("source", "source of the change", source),
];

const counts: [string, string, number][] = [
  ["total", "number of recipients, the sum of the following numbers", 1200],
  ["pending", "recipients whose message is not created yet", 0],
  ["skipped_unsubscribed", "recipients who have unsubscribed", 12],
  ["skipped_suppressed", "recipients whose address is suppressed", 3],
  ["queued", "messages that wait", 0],
  ["sent", "messages that the provider has accepted", 185],
  ["delivered", "delivered messages", 990],
  ["bounced", "bounced messages", 6],
  ["complained", "messages that were reported as spam", 1],
  ["cancelled", "recipients and messages that were cancelled or erased", 0],
  ["failed", "messages that could not be sent", 3],
];
const broadcastFields = [
  field("broadcast_id", "id of the broadcast", 31),
  field("name", "name of the broadcast", "October news"),
  field("provider_ref", "id of the broadcast in events of providers", "bc_019ab3f2c4d57e8a9b0c1d2e3f405162"),
  ...counts.map(([name, description, example]) => field(name, description, example)),
];

const fields: Partial<Record<EmailEventType, readonly PayloadField[]>> = {
  "email.message.sent": [...messageFields, stream],
  "email.message.delivered": [...messageFields, stream],
  "email.message.delivery_delayed": [...messageFields, stream],
  "email.message.bounced": [
    ...messageFields,
    stream,
    field("bounce_type", "`permanent`, `transient` or `undetermined`", "permanent"),
  ],
  "email.message.complained": [...messageFields, stream],
  "email.message.failed": [...messageFields, stream, field("error_code", "reason of the failure", "provider_rejected")],
  "email.message.expired": messageFields,
  "email.message.suppressed": [
    ...messageFields,
    stream,
    field("reason", "`recipient_suppressed`, `unsubscribed` or `recipient_removed`", "unsubscribed"),
  ],
  "email.unsubscribe.created": [
    field("category", "`transactional`, `bulk` or `list-` and the id of a newsletter", "bulk"),
    field("source", "`one_click`, `page` or `provider`", "one_click"),
    field("email_hmac", "hash of the address", "5f3b6a2c9d8e7f60a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718"),
    field("to_email", "address of the recipient, null when it is no longer stored", "mina@example.com"),
    field("to_user_id", "id of the user, null when unknown", 7),
    field("newsletter_id", "id of the newsletter, null for a category", null),
  ],
  "email.broadcast.sent": broadcastFields,
  "email.broadcast.failed": [
    ...broadcastFields,
    field("error_code", "why the broadcast failed", "caller_session_expired"),
  ],
  "email.broadcast.cancelled": broadcastFields,
  "email.action_rule.failing": ruleFailingFields("email"),
  "email.lane.paused": [
    field("lane", "`bulk`", "bulk"),
    field("reason", "`complaint_rate`", "complaint_rate"),
    field("complaints", "complaints about the bulk mail of the last seven days", 12),
    field("sent", "bulk mail sent in the last seven days", 3400),
    field("paused_at", "time of the pause", "2026-11-27T22:30:00.000Z"),
  ],
  "email.newsletter.confirmed": newsletterFields("form"),
  "email.newsletter.unsubscribed": newsletterFields("one_click"),
};

/** Returns the data fields of an event that webhooks can subscribe to, or an empty list for other events. */
export function emailEventFields(type: string): readonly PayloadField[] {
  return fields[type as EmailEventType] ?? [];
}
