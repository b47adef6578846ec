import type { message_events, messages } from "../../../db/email/schema";
import { type Db, sql } from "../../kit/db";
import { activeKeyOf, type ServiceClientRow } from "../clients/key.store";

export type MessageRow = typeof messages.$inferSelect;
export type MessageEventRow = Pick<typeof message_events.$inferSelect, "type" | "at">;
/** What lists show; nothing sealed is read. */
export type MessageListRow = Pick<
  MessageRow,
  | "id"
  | "service"
  | "template_key"
  | "event_type"
  | "language"
  | "lane"
  | "status"
  | "to_masked"
  | "accepted_at"
  | "last_error_code"
>;

const messageOf = sql("SELECT * FROM messages WHERE id = ?1");
const eventsOf = sql("SELECT type, at FROM message_events WHERE message_id = ?1 ORDER BY at, id");
const existing = sql("SELECT id FROM messages WHERE id = ?1 AND company_id = ?2");
const addresses = sql(
  `SELECT m.id, m.to_enc FROM json_each(?2) j CROSS JOIN messages m ON m.id = j.value WHERE m.company_id = ?1`,
);
const statuses = sql("SELECT m.id, m.status FROM json_each(?1) j CROSS JOIN messages m ON m.id = j.value");

// Events and roll-up by the guard of the move, then the move, as in deliveries.ts: a repeat adds nothing.
const WAITING = "id = ?1 AND company_id = ?2 AND status IN ('queued','retrying')";
const noteCancelled = sql(
  `INSERT INTO message_events (company_id, message_id, type, at)
   SELECT company_id, id, 'cancelled', ?3 FROM messages WHERE ${WAITING}`,
);
const countCancelled = sql(
  `INSERT INTO stats_days (company_id, day, lane, event_type, queued, cancelled)
   SELECT company_id, date(accepted_at / 1000, 'unixepoch'), lane, event_type, -1, 1 FROM messages WHERE ${WAITING}
   ON CONFLICT (company_id, day, lane, event_type) DO UPDATE
   SET queued = queued + excluded.queued, cancelled = cancelled + excluded.cancelled`,
);
const moveCancelled = sql(
  `UPDATE messages SET status = 'cancelled', variables_enc = NULL WHERE ${WAITING} RETURNING id`,
);

const LIST_COLUMNS =
  "id, service, template_key, event_type, language, lane, status, to_masked, accepted_at, last_error_code";
const LIST_FILTERS = `company_id = ?1 AND (accepted_at, id) < (?2, ?3) AND accepted_at >= ?4 AND accepted_at < ?5
   AND (?6 IS NULL OR status IN (SELECT value FROM json_each(?6)))
   AND (?7 IS NULL OR lane IN (SELECT value FROM json_each(?7)))
   AND (?8 IS NULL OR template_key IN (SELECT value FROM json_each(?8)))
   AND (?9 IS NULL OR event_type IN (SELECT value FROM json_each(?9)))
   AND (?10 IS NULL OR service IN (SELECT value FROM json_each(?10)))`;
const page = sql(
  `SELECT ${LIST_COLUMNS} FROM messages WHERE ${LIST_FILTERS} ORDER BY accepted_at DESC, id DESC LIMIT ?11`,
);
const pageOfAddress = sql(
  `SELECT ${LIST_COLUMNS} FROM messages WHERE ${LIST_FILTERS} AND email_hmac IN (SELECT value FROM json_each(?12))
   ORDER BY accepted_at DESC, id DESC LIMIT ?11`,
);

/** A message with its events, and the client of a service key where `keyHash` is given; one round trip. */
export async function readMessage(
  db: Db,
  id: string,
  credential: { keyHash: string; now: number } | null,
): Promise<{ message: MessageRow | null; events: MessageEventRow[]; key: ServiceClientRow | null }> {
  const [message, events, key] = await db.batch<[MessageRow, MessageEventRow, ServiceClientRow]>([
    messageOf.bind(db, id),
    eventsOf.bind(db, id),
    ...(credential === null ? [] : [activeKeyOf.bind(db, credential.keyHash, credential.now)]),
  ]);
  return {
    message: message.results[0] ?? null,
    events: events.results,
    key: credential === null ? null : (key.results[0] ?? null),
  };
}

/** Whether the company has a message of this id. */
export async function isStoredMessage(db: Db, companyId: number, id: string): Promise<boolean> {
  return (await db.first(existing.bind(db, id, companyId))) !== null;
}

/** The sealed addresses of those of the messages that are stored. */
export function addressesOf(
  db: Db,
  companyId: number,
  ids: readonly string[],
): Promise<Pick<MessageRow, "id" | "to_enc">[]> {
  return db.all(addresses.bind(db, companyId, JSON.stringify(ids)));
}

/** The present statuses of messages that the caller has just stored. */
export async function statusesOf(db: Db, ids: readonly string[]): Promise<Map<string, MessageRow["status"]>> {
  const rows = await db.all<Pick<MessageRow, "id" | "status">>(statuses.bind(db, JSON.stringify(ids)));
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Cancels a waiting message and wipes its variables; false when a consumer has it or it is final (email details 4.1). */
export async function cancelMessage(db: Db, companyId: number, id: string, now: number): Promise<boolean> {
  const [, , moved] = await db.batch<[unknown, unknown, { id: string }]>([
    noteCancelled.bind(db, id, companyId, now),
    countCancelled.bind(db, id, companyId),
    moveCancelled.bind(db, id, companyId),
  ]);
  return moved.results.length > 0;
}

/** Filters of a list; a null list keeps everything. Times in unix ms, `until` excluded. */
export type MessageFilter = {
  from: number;
  until: number;
  status: readonly string[] | null;
  lane: readonly string[] | null;
  templateKey: readonly string[] | null;
  eventType: readonly string[] | null;
  service: readonly string[] | null;
  /** hashes of one address */
  hashes: readonly string[] | null;
};

/** Messages of a company, newest first, after the row with these sort values; `limit + 1` rows for the cursor. */
export function listMessages(
  db: Db,
  companyId: number,
  filter: MessageFilter,
  { limit, after }: { limit: number; after: readonly [number, string] | null },
): Promise<MessageListRow[]> {
  const list = (values: readonly string[] | null) => (values === null ? null : JSON.stringify(values));
  const [acceptedAt, id] = after ?? [Number.MAX_SAFE_INTEGER, ""];
  const values = [
    companyId,
    acceptedAt,
    id,
    filter.from,
    filter.until,
    list(filter.status),
    list(filter.lane),
    list(filter.templateKey),
    list(filter.eventType),
    list(filter.service),
    limit + 1,
  ];
  return db.all<MessageListRow>(
    filter.hashes === null
      ? page.bind(db, ...values)
      : pageOfAddress.bind(db, ...values, JSON.stringify(filter.hashes)),
  );
}
