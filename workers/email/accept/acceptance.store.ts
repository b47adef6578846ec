import type { messages } from "../../../db/email/schema";
import { sql } from "../../kit/db";
import { toSlices } from "../../kit/db/slices";
import type { ActionsContext } from "../../kit/webhooks/context";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import { acceptedEvents, type NewEvent } from "../delivery/event.store";
import { storeName } from "./company-name.store";
import { dropOldRequest, insertRequest } from "./idempotency.store";

type MessageRow = typeof messages.$inferSelect;

/** What the messages of one accepted request share; `accepted_at` is also their first `next_attempt_at`. */
export type SharedColumns = Pick<
  MessageRow,
  | "company_id"
  | "service"
  | "client_id"
  | "send_request_id"
  | "template_key"
  | "event_type"
  | "language"
  | "lane"
  | "category"
  | "scope"
  | "accepted_at"
  | "request_id"
>;

/** What is each message's own. */
export type OwnColumns = Pick<
  MessageRow,
  | "id"
  | "status"
  | "to_enc"
  | "to_masked"
  | "to_user_id"
  | "email_hmac"
  | "variables_enc"
  | "default_checksum"
  | "expires_at"
  | "last_error_code"
  | "trace"
>;

export type Acceptance = {
  shared: SharedColumns;
  rows: readonly OwnColumns[];
  /** null without an idempotency key */
  request: { id: string; key: string; path: string; fingerprint: string; response: string; windowStart: number } | null;
  /** the name to keep for the company, or null */
  name: string | null;
  /** events of messages that are not sent */
  events: readonly NewEvent[];
};

const insertMessages = sql(
  `INSERT INTO messages (id, company_id, service, client_id, send_request_id, template_key, event_type, default_checksum,
     language, lane, category, scope, status, to_enc, to_masked, to_user_id, email_hmac, variables_enc,
     next_attempt_at, accepted_at, expires_at, last_error_code, trace, request_id)
   SELECT r.value ->> 'id', ?2 ->> 'company_id', ?2 ->> 'service', ?2 ->> 'client_id', ?2 ->> 'send_request_id',
     ?2 ->> 'template_key', ?2 ->> 'event_type', r.value ->> 'default_checksum',
     ?2 ->> 'language', ?2 ->> 'lane', ?2 ->> 'category', ?2 ->> 'scope', r.value ->> 'status', r.value ->> 'to_enc',
     r.value ->> 'to_masked', r.value ->> 'to_user_id', r.value ->> 'email_hmac', r.value ->> 'variables_enc',
     ?2 ->> 'accepted_at', ?2 ->> 'accepted_at', r.value ->> 'expires_at', r.value ->> 'last_error_code',
     r.value ->> 'trace', ?2 ->> 'request_id'
   FROM json_each(?1) r`,
);

/** Bind: JSON list of message ids. The first event of each new message is its status. */
const insertFirstEvents = sql(
  `INSERT INTO message_events (company_id, message_id, type, at)
   SELECT m.company_id, m.id, m.status, m.accepted_at FROM json_each(?1) j CROSS JOIN messages m ON m.id = j.value
   ORDER BY m.id`,
);

/** Bind: company id, day, lane, event type, queued, suppressed. */
const countAccepted = sql(
  `INSERT INTO stats_days (company_id, day, lane, event_type, queued, suppressed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
   ON CONFLICT (company_id, day, lane, event_type)
   DO UPDATE SET queued = queued + excluded.queued, suppressed = suppressed + excluded.suppressed`,
);

/**
 * Stores a request, its messages, their first events and the roll-up in one transaction (email details 3.1, step 20).
 * Throws ConstraintError, and stores nothing, when the idempotency key is taken or the batch was stored before.
 */
export async function storeAcceptance(context: ActionsContext, acceptance: Acceptance): Promise<void> {
  const { db } = context;
  const { shared, rows, request, name, events } = acceptance;
  const common = JSON.stringify(shared);
  const { company_id, service, accepted_at, lane, event_type } = shared;
  const statements: D1PreparedStatement[] = [];
  if (request !== null) {
    const { id, key, path, fingerprint, response, windowStart } = request;
    statements.push(
      dropOldRequest.bind(db, service, company_id, key, windowStart),
      insertRequest.bind(db, id, service, company_id, key, path, fingerprint, response, accepted_at),
    );
  }
  if (name !== null) statements.push(storeName.bind(db, company_id, name, accepted_at));
  if (rows.length > 0) {
    const suppressed = rows.filter((row) => row.status === "suppressed").length;
    const day = new Date(accepted_at).toISOString().slice(0, 10);
    const ids = JSON.stringify(rows.map((row) => row.id));
    statements.push(
      ...toSlices(rows).map((slice) => insertMessages.bind(db, JSON.stringify(slice), common)),
      insertFirstEvents.bind(db, ids),
      countAccepted.bind(db, company_id, day, lane, event_type, rows.length - suppressed, suppressed),
      ...acceptedEvents(db, events, accepted_at),
    );
  }
  const eventIds = events.map(({ event_id }) => event_id);
  if (statements.length > 0) await batchWithEvents(context, statements, eventIds);
}
