import type { MessageRow } from "../../../../db/email/rows";
import { OWN_ID_TRANSPORTS } from "../../../../db/email/transports";
import type { MessageListItem, PublicMessage } from "../../../../schemas/email/delivery/messages";
import { iso } from "../../../kit/time";
import type { BroadcastOfMessage } from "./message.store";
import type { MessageListRow } from "./message-list.store";
import { shownTrace } from "./stored-trace";

/** Returns the status response of a message, with a masked address and without variables. */
export function presentMessage(row: MessageRow, broadcast: BroadcastOfMessage | null): PublicMessage {
  return {
    id: `msg_${row.id}`,
    company_id: row.company_id,
    service: row.service,
    template_key: row.template_key,
    event_type: row.event_type,
    template_version: row.template_version,
    broadcast_id: row.broadcast_id,
    broadcast,
    language: row.language,
    request_id: row.request_id,
    provider_message_id: row.provider_message_id ?? idAtRelay(row),
    attempts: row.attempt_count,
    next_attempt_at: iso(row.next_attempt_at),
    lane: row.lane,
    status: row.status,
    provider: row.provider,
    accepted_at: iso(row.accepted_at),
    expires_at: iso(row.expires_at),
    sent_at: iso(row.sent_at),
    last_error_code: row.last_error_code,
    bounce: row.bounce,
    to_masked: row.to_masked,
    trace: shownTrace(row.trace),
    events: row.events.map(({ at, ...event }) => ({ ...event, at: iso(at) })),
  };
}

/** Returns the message id when the message was sent by a transport that has no ids of its own, else null. */
function idAtRelay({ id, provider, sent_at }: MessageRow): string | null {
  return sent_at !== null && OWN_ID_TRANSPORTS.some((transport) => transport === provider) ? `msg_${id}` : null;
}

/** Returns one message of a list response. */
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
