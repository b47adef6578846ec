import type { MessageRow, NewEvent } from "../../../../db/email/rows";
import type { EmailEventType } from "../../../../schemas/email/events";
import { uuid } from "../../../kit/ids";
import type { EmailKeys } from "../../keys";
import { sealNewEvent } from "./event-seal";

/** The columns of a message that are needed for its events. */
export type EventMessage = Pick<
  MessageRow,
  "id" | "company_id" | "service" | "template_key" | "event_type" | "lane" | "to_user_id" | "template_version"
>;

/** Details of an event that are not columns of the message. */
export type EventDetails = Partial<Record<"error_code" | "reason" | "stream" | "bounce_type", string | null>>;

/** The event type of each status. Other statuses create no event. */
const EVENT_TYPES: Readonly<Partial<Record<MessageRow["status"], EmailEventType>>> = {
  sent: "email.message.sent",
  delivered: "email.message.delivered",
  delivery_delayed: "email.message.delivery_delayed",
  bounced: "email.message.bounced",
  complained: "email.message.complained",
  failed: "email.message.failed",
  expired: "email.message.expired",
  suppressed: "email.message.suppressed",
};

/** Returns a new event with encrypted data and envelope. `now` is in ms since the epoch. */
export async function sealedEvent(
  keys: Pick<EmailKeys, "variables">,
  event: { type: EmailEventType; companyId: number; data: Record<string, unknown>; now: number },
): Promise<Pick<NewEvent, "event_id" | "type" | "data" | "envelope">> {
  const eventId = uuid();
  return { event_id: eventId, type: event.type, ...(await sealNewEvent(keys, { id: eventId, ...event })) };
}

/** Returns whether a message that reaches this status creates an event. */
export function hasEvent(status: MessageRow["status"]): boolean {
  return EVENT_TYPES[status] !== undefined;
}

/** Returns the event of a message that reaches `status`, or null for a status without an event. `to` is the address. */
export async function messageEvent(
  keys: Pick<EmailKeys, "variables">,
  message: EventMessage,
  change: { status: MessageRow["status"]; to: string | null; facts: EventDetails; now: number },
): Promise<NewEvent | null> {
  const { status, to, facts, now } = change;
  const type = EVENT_TYPES[status];
  if (type === undefined) return null;
  const data = {
    message_id: `msg_${message.id}`,
    template_key: message.template_key,
    lane: message.lane,
    service: message.service,
    to_email: to,
    to_user_id: message.to_user_id,
    event_type: message.event_type,
    ...(message.template_version === null ? {} : { template_version: message.template_version }),
    ...(status === "failed" ? { error_code: facts.error_code } : {}),
    ...(status === "suppressed" ? { reason: facts.reason } : {}),
    ...(facts.stream ? { stream: facts.stream } : {}),
    ...(facts.bounce_type ? { bounce_type: facts.bounce_type } : {}),
  };
  const { id, company_id } = message;
  return { id, company_id, ...(await sealedEvent(keys, { type, companyId: company_id, data, now })) };
}

/** A stored message with its encrypted address. */
export type SealedMessage = EventMessage & Pick<MessageRow, "to_enc">;
