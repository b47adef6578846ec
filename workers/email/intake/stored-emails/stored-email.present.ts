import type * as z from "zod";
import type { MessageRow } from "../../../../db/email/rows";
import type { emailSchema } from "../../../../schemas/email/intake/emails";
import { iso } from "../../../kit/time";
import type { DirectContent, Tag } from "../../delivery/messages/direct-content";
import { uuidOf } from "../emails/email-id";

type LastEvent = z.output<typeof emailSchema>["last_event"];

/** The statuses of an email in Resend's API, the ones that need attention first. The first one of any message is shown. */
const EVENT_ORDER: readonly LastEvent[] = [
  "failed",
  "bounced",
  "complained",
  "suppressed",
  "delivery_delayed",
  "scheduled",
  "queued",
  "sent",
  "delivered",
  "canceled",
];

function lastEventOf({ status }: MessageRow, isScheduled: boolean): LastEvent {
  switch (status) {
    case "queued":
      return isScheduled ? "scheduled" : "queued";
    case "sending":
    case "retrying":
      return "queued";
    case "expired":
      return "failed";
    case "cancelled":
      return "canceled";
    default:
      return status;
  }
}

/** The parts of an email. `content` is null when it is deleted. Times are in unix ms. */
type EmailParts = {
  id: string;
  recipients: readonly { message: MessageRow; to: string }[];
  from: string;
  tags: readonly Tag[];
  content: DirectContent | null;
  scheduledAt: number | null;
  now: number;
};

/** Returns an email in the form of Resend's API, with the messages to its recipients. */
export function presentEmail(parts: EmailParts): z.output<typeof emailSchema> {
  const { id, recipients, from, tags, content, scheduledAt, now } = parts;
  const isScheduled = scheduledAt !== null && scheduledAt > now;
  const items = recipients.map(({ message, to }) => ({
    id: `msg_${message.id}`,
    to,
    status: message.status,
    last_event: lastEventOf(message, isScheduled),
  }));
  const mail = content?.mail ?? null;
  return {
    object: "email",
    id: uuidOf(id),
    to: items.map(({ to }) => to),
    from,
    created_at: iso(recipients[0]?.message.accepted_at ?? now),
    subject: mail?.subject ?? "",
    html: mail === null || mail.html === "" ? null : mail.html,
    text: mail?.text ?? null,
    cc: null,
    bcc: null,
    reply_to: content === null || content.replyTo === null ? null : [content.replyTo],
    last_event: EVENT_ORDER.find((event) => items.some(({ last_event }) => last_event === event)) ?? "queued",
    scheduled_at: iso(scheduledAt),
    tags: [...tags],
    messages: items,
  };
}
