import { type SQLWrapper, sql } from "drizzle-orm";
import { messages, type send_requests } from "../schema";

type Columns = keyof typeof send_requests.$inferSelect;

const { expires_at } = messages;

/** Returns SQL that formats unix ms as ISO 8601, as in API responses; null remains null. */
const iso = (at: SQLWrapper) =>
  sql`strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`;

// The fields of a message in the order of the API response. Stored responses contain the masked address.
const item = sql`json_object('id', 'msg_' || ${messages.id}, 'to', ${messages.to_masked}, 'status', ${messages.events} ->> '$[0].type',
  'lane', ${messages.lane}, 'template_version', ${messages.template_version}, 'language', ${messages.language}, 'expires_at', ${iso(expires_at)})`;

/**
 * The columns of `send_requests` for a request with a single recipient. They are derived from the row of its message.
 */
export const requestOfMessage: Record<Columns, SQLWrapper> = {
  id: messages.id,
  service: messages.service,
  company_id: messages.company_id,
  idempotency_key: sql`${messages.idempotency_key}`,
  path: sql`iif(${messages.template_key} = ${messages.event_type}, '/api/v1/send', '/api/v1/events')`,
  fingerprint: sql`${messages.fingerprint}`,
  response: sql`json_object('messages', json_array(${item}))`,
  created_at: messages.accepted_at,
};
