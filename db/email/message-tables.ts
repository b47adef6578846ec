// The tables of messages, their contents and attachments; part of schema.ts, which describes the columns.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { TRANSPORTS } from "./transports";

/**
 * The rare statuses, for which a partial index exists. SQLite uses the index only in queries that contain the condition
 * of `isTroubled` verbatim.
 */
export const troubledStatuses = [
  "delivery_delayed",
  "bounced",
  "complained",
  "failed",
  "expired",
  "suppressed",
  "cancelled",
];

const among = (values: readonly string[]) => sql.raw(`IN (${values.map((value) => `'${value}'`).join(",")})`);

/** Returns the condition that a message has a rare status, as written in the index `messages_troubled`. */
export const isTroubled = (status: SQLWrapper): SQL => sql`${status} ${among(troubledStatuses)}`;

/** A step of a message. `stream` and `detail` come from a provider's event; `detail` is its filtered text. */
type MessageEvent = { type: string; at: number; stream?: string; detail?: string };
type Bounce = { type: "permanent" | "transient" | "undetermined"; [detail: string]: unknown };

export const messages = sqliteTable(
  "messages",
  {
    /** 32 hex characters of a time-ordered uuid; the API adds the prefix `msg_` */
    id: text().primaryKey(),
    company_id: integer().notNull(),
    service: text().notNull(),
    client_id: integer(),
    send_request_id: text(),
    /**
     * the idempotency key of a request with only this recipient, and the request's fingerprint; null after the key
     * expired
     */
    idempotency_key: text(),
    fingerprint: text(),
    template_key: text().notNull(),
    event_type: text().notNull(),
    version_id: integer(),
    default_checksum: text(),
    template_version: integer(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    lane: text({ enum: ["auth", "transactional", "bulk"] }).notNull(),
    category: text().notNull(),
    scope: text({ enum: ["company", "platform"] }).notNull(),
    status: text({
      enum: [
        "queued",
        "sending",
        "retrying",
        "sent",
        "delivered",
        "delivery_delayed",
        "bounced",
        "complained",
        "failed",
        "expired",
        "suppressed",
        "cancelled",
      ],
    }).notNull(),
    to_enc: text().notNull(),
    to_masked: text().notNull(),
    to_user_id: integer(),
    email_hmac: text().notNull(),
    variables_enc: text(),
    provider: text({ enum: ["", ...TRANSPORTS] })
      .notNull()
      .default(""),
    provider_message_id: text(),
    attempt_count: integer().notNull().default(0),
    claim_count: integer().notNull().default(0),
    /** null when the status is final */
    next_attempt_at: integer(),
    locked_until: integer(),
    lease_token: text(),
    data_started: integer({ mode: "boolean" }).notNull().default(false),
    accepted_at: integer().notNull(),
    expires_at: integer(),
    sent_at: integer(),
    rank: integer().notNull().default(0),
    last_error_code: text(),
    bounce: text({ mode: "json" }).$type<Bounce>(),
    trace: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    /** steps in chronological order; the first is the acceptance */
    events: text({ mode: "json" }).$type<MessageEvent[]>().notNull().default([]),
    request_id: text().notNull(),
    attachments_id: text(),
    /** the broadcast that created the message; the messages of a broadcast are found by its `template_key` */
    broadcast_id: integer(),
    /** the newsletter to which the message belongs: that of its broadcast, or that whose confirmation it asks for */
    list_id: integer(),
  },
  (t) => [
    index("messages_open").on(t.lane, t.next_attempt_at).where(sql`next_attempt_at IS NOT NULL`),
    // Contains every immutable column that filters use, so that a search reads only the rows that it returns.
    index("messages_company").on(
      ...([t.company_id, t.accepted_at, t.id, t.lane, t.event_type, t.template_key, t.service, t.request_id] as const),
    ),
    // For support staff, who search for these rare statuses.
    index("messages_troubled")
      .on(t.company_id, t.accepted_at, t.id, t.status)
      .where(sql`status ${among(troubledStatuses)}`),
    // With SMTP the provider's id equals the message id, so the index omits it.
    index("messages_provider").on(t.provider_message_id).where(sql`provider = 'api'`),
    index("messages_cloudflare").on(t.provider_message_id).where(sql`provider = 'cloudflare'`),
    index("messages_address").on(t.company_id, t.email_hmac, t.accepted_at),
    index("messages_attachments").on(t.attachments_id).where(sql`attachments_id IS NOT NULL`),
    uniqueIndex("messages_key").on(t.service, t.company_id, t.idempotency_key).where(sql`idempotency_key IS NOT NULL`),
  ],
);

/**
 * The sealed content of direct mails, until their last message ends. `id` is the id of the first message of the request; the
 * ids of its other messages differ only in the last two characters. `WITHOUT ROWID`.
 */
export const direct_contents = sqliteTable(
  "direct_contents",
  {
    company_id: integer().notNull(),
    id: text().notNull(),
    content_enc: text().notNull(),
    /** the requested time of sending; null: at once */
    scheduled_at: integer(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.id] })],
);

/**
 * The attachments of one request. Its messages share them, and their bytes are in R2. The row is inserted before the bytes
 * are stored and deleted after they are removed. `WITHOUT ROWID`.
 */
export const message_attachments = sqliteTable(
  "message_attachments",
  {
    /** 32 hex characters of a time-ordered uuid */
    id: text().primaryKey(),
    company_id: integer().notNull(),
    /** sealed JSON: the name, type, content id and size of each file */
    files_enc: text().notNull(),
    file_count: integer().notNull(),
    /** when the sweep next checks whether a message still needs the files */
    check_at: integer().notNull(),
  },
  (t) => [index("message_attachments_check").on(t.check_at)],
);
