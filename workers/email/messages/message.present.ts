import type { MessageListItem, PublicMessage } from "../../../schemas/email/messages";
import type { MessageEventRow, MessageListRow, MessageRow } from "./message.store";

/** The status response of a message; the address is masked and the variables stay sealed. */
export function presentMessage(row: MessageRow, events: readonly MessageEventRow[]): PublicMessage {
  return {
    id: `msg_${row.id}`,
    company_id: row.company_id,
    service: row.service,
    template_key: row.template_key,
    lane: row.lane,
    status: row.status,
    provider: row.provider as PublicMessage["provider"],
    accepted_at: iso(row.accepted_at),
    expires_at: row.expires_at === null ? null : iso(row.expires_at),
    sent_at: row.sent_at === null ? null : iso(row.sent_at),
    last_error_code: row.last_error_code,
    bounce: row.bounce === null ? null : (JSON.parse(row.bounce) as PublicMessage["bounce"]),
    to_masked: row.to_masked,
    trace: JSON.parse(row.trace) as PublicMessage["trace"],
    events: events.map(({ type, at }) => ({ type, at: iso(at) })),
  };
}

/** One message of a list. */
export function presentListedMessage(row: MessageListRow): MessageListItem {
  return {
    id: `msg_${row.id}`,
    template_key: row.template_key,
    lane: row.lane,
    status: row.status,
    to: row.to_masked,
    accepted_at: iso(row.accepted_at),
    service: row.service,
    event_type: row.event_type,
    language: row.language,
    last_error_code: row.last_error_code,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
