import { type SQLWrapper, sql } from "drizzle-orm";
import { messages, type send_requests } from "../schema";

type Columns = keyof typeof send_requests.$inferSelect;

const m = messages;
const { expires_at } = m;

/** Returns SQL that formats unix ms as ISO 8601, as in API responses; null remains null. */
const iso = (at: SQLWrapper) =>
  sql`strftime('%Y-%m-%dT%H:%M:%S', ${at} / 1000, 'unixepoch') || printf('.%03dZ', ${at} % 1000)`;

// The fields of a message in the order of the API response. Stored responses contain the masked address.
const item = sql`json_object('id', 'msg_' || ${m.id}, 'to', ${m.to_masked}, 'status', ${m.events} ->> '$[0].type',
  'lane', ${m.lane}, 'template_version', ${m.template_version}, 'language', ${m.language}, 'expires_at', ${iso(expires_at)})`;

/**
 * The columns of `send_requests` for a request with a single recipient. They are derived from the row of its message.
 */
export const requestOfMessage: Record<Columns, SQLWrapper> = {
  id: m.id,
  service: m.service,
  company_id: m.company_id,
  idempotency_key: sql`${m.idempotency_key}`,
  path: sql`iif(${m.template_key} = ${m.event_type}, '/api/v1/send', '/api/v1/events')`,
  fingerprint: sql`${m.fingerprint}`,
  response: sql`json_object('messages', json_array(${item}))`,
  created_at: m.accepted_at,
};
