import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { auditTable } from "../kit/audit";
import { jobTables } from "../kit/jobs";
import { sealedEventLogTable, sealedWebhookTables } from "../kit/webhooks";

import { TRANSPORTS } from "./transports";

export {
  default_contents,
  library_templates,
  library_versions,
  rules,
  template_versions,
  templates,
} from "./content-tables";
export { figure_hours, message_totals, skip_days, stats_days, stats_marks } from "./count-tables";

/** States that few messages come to: an index has them, which wants the term word for word. */
export const troubledStatuses = [
  "delivery_delayed",
  "bounced",
  "complained",
  "failed",
  "expired",
  "suppressed",
  "cancelled",
];

const among = (values: readonly string[]) => sql.raw(`IN (${values.map((word) => `'${word}'`).join(",")})`);

/** Whether a message has such a state; a literal term of `messages_troubled`. */
export const isTroubled = (status: SQLWrapper): SQL => sql`${status} ${among(troubledStatuses)}`;

type Lane = "auth" | "transactional" | "bulk";
/** `stream` and `detail` are of what a provider told: its filtered words. */
type MessageEvent = { type: string; at: number; stream?: string; detail?: string };
/** `detail_code` says why a check is not `pass`; times are unix ms. */
type DomainHealth = {
  checked_at: number;
  domain: string;
  checks: { name: string; status: string; detail_code: string }[];
  /** when the purge last asked and got no answer; `checked_at` is 0 where none ever came */
  tried_at?: number;
};
type Bounce = { type: "permanent" | "transient" | "undetermined"; [detail: string]: unknown };

// Column names are the keys, times are integer unix milliseconds. `*_enc` columns are sealed with a key of the settings; a table without a random id of its own has a random `seal_id` for that.

export const service_clients = sqliteTable(
  "service_clients",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    service: text().notNull(),
    name: text().notNull(),
    key_prefix: text().notNull(),
    key_hash: text().notNull().unique(),
    previous_key_hash: text(),
    previous_expires_at: integer(),
    allowed_lanes: text({ mode: "json" }).$type<Lane[]>().notNull(),
    allowed_template_prefixes: text({ mode: "json" }).$type<string[]>().notNull(),
    allowed_company_ids: text({ mode: "json" }).$type<number[]>(),
    callback_url: text(),
    /** host and port of the URL, as deliveries count them */
    callback_host: text(),
    callback_secret_enc: text(),
    seal_id: text().notNull(),
    active: integer({ mode: "boolean" }).notNull().default(true),
    last_used_at: integer(),
    created_at: integer().notNull(),
  },
  (t) => [
    index("service_clients_previous").on(t.previous_key_hash).where(sql`previous_key_hash IS NOT NULL`),
    index("service_clients_service").on(t.service, t.id),
  ],
);

export const company_providers = sqliteTable("company_providers", {
  company_id: integer().primaryKey(),
  seal_id: text().notNull(),
  provider: text({ enum: [...TRANSPORTS] }).notNull(),
  from_email: text().notNull(),
  from_name: text().notNull().default(""),
  sending_domain: text().notNull().default(""),
  bulk_from_email: text().notNull().default(""),
  reply_to: text().notNull().default(""),
  credentials_enc: text().notNull(),
  credentials_hint: text().notNull().default(""),
  fingerprint: text().notNull(),
  webhook_secret_enc: text(),
  webhook_previous_enc: text(),
  webhook_previous_expires_at: integer(),
  webhook_hint: text().notNull().default(""),
  /** what DNS said of the sending domain when it was last asked; null: not asked yet */
  domain_health: text({ mode: "json" }).$type<DomainHealth>(),
  updated_at: integer().notNull(),
});

export const company_profiles = sqliteTable("company_profiles", {
  company_id: integer().primaryKey(),
  name: text().notNull(),
  updated_at: integer().notNull(),
});

/** How a company's mails look: every column "" is as the design is drawn. */
export const brandings = sqliteTable("brandings", {
  company_id: integer().primaryKey(),
  /** `#rrggbb`, lower case */
  primary_color: text().notNull().default(""),
  logo_url: text().notNull().default(""),
  postal_address: text().notNull().default(""),
  footer_text: text().notNull().default(""),
  updated_at: integer().notNull(),
});

export const lane_states = sqliteTable(
  "lane_states",
  {
    lane: text({ enum: ["auth", "transactional", "bulk"] }).notNull(),
    /** 0: the pause by staff for every company */
    company_id: integer().notNull(),
    scope: text({ enum: ["", "company", "platform"] }).notNull(),
    paused: integer({ mode: "boolean" }).notNull(),
    reason: text().notNull().default(""),
    fingerprint: text(),
    paused_at: integer().notNull(),
    paused_by: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.lane, t.company_id, t.scope] }),
    index("lane_states_paused").on(t.lane, t.paused, t.company_id, t.scope),
    index("lane_states_company").on(t.company_id),
  ],
);

/** Retryable failures of a sender without an acceptance between; no row: none since the last one. */
export const sender_breakers = sqliteTable(
  "sender_breakers",
  {
    scope: text({ enum: ["company", "platform"] }).notNull(),
    company_id: integer().notNull(),
    lane: text({ enum: ["auth", "transactional", "bulk"] }).notNull(),
    /** a leaky bucket: a failure adds 2, an acceptance takes 1 */
    failures: integer().notNull(),
    open_until: integer().notNull().default(0),
    /** how often it opened since the last acceptance; each time doubles how long */
    opens: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.company_id, t.lane] }),
    index("sender_breakers_company").on(t.company_id),
    index("sender_breakers_opened").on(t.scope, t.lane, t.open_until).where(sql`open_until > 0`),
  ],
);

/** What an accepted event made no message of, and why. `WITHOUT ROWID`. */
export const decisions = sqliteTable(
  "decisions",
  {
    company_id: integer().notNull(),
    /** 32 hex characters of a time-ordered uuid */
    id: text().notNull(),
    service: text().notNull(),
    event_type: text().notNull(),
    reason: text({ enum: ["no_rule", "no_recipients", "recipient_suppressed", "unsubscribed"] }).notNull(),
    rule_id: integer(),
    recipient_masked: text(),
    email_hmac: text(),
    request_id: text().notNull(),
    created_at: integer().notNull(),
    /** the first of an event that queued no message: statistics count it, and none of its others */
    is_skip: integer({ mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.id] }),
    index("decisions_address").on(t.company_id, t.email_hmac).where(sql`email_hmac IS NOT NULL`),
  ],
);

/** What providers told, once each; waiting ones belong to messages whose acceptance is not stored yet. `WITHOUT ROWID`. */
export const provider_events = sqliteTable(
  "provider_events",
  {
    /** `platform`, or the company whose secret signed it as text */
    signing_scope: text().notNull(),
    hook_id: text().notNull(),
    /** of a message that is not known yet */
    provider_message_id: text(),
    /** the event, sealed, while it waits */
    body_enc: text(),
    seal_id: text(),
    applied: integer({ mode: "boolean" }).notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.signing_scope, t.hook_id] }),
    index("provider_events_waiting").on(t.provider_message_id).where(sql`applied = 0`),
    index("provider_events_kept").on(t.created_at).where(sql`applied = 0`),
    index("provider_events_created").on(t.created_at),
  ],
);

/** Requests for several recipients; one recipient's is kept in its message. */
export const send_requests = sqliteTable(
  "send_requests",
  {
    /** 32 hex characters of a time-ordered uuid, as those of messages */
    id: text().primaryKey(),
    service: text().notNull(),
    company_id: integer().notNull(),
    idempotency_key: text().notNull(),
    path: text().notNull(),
    fingerprint: text().notNull(),
    /** the answer that a repeat gets again */
    response: text({ mode: "json" }).$type<object>().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [uniqueIndex("send_requests_key").on(t.service, t.company_id, t.idempotency_key)],
);

export const messages = sqliteTable(
  "messages",
  {
    /** 32 hex characters of a time-ordered uuid; `msg_` is put in front on the wire */
    id: text().primaryKey(),
    company_id: integer().notNull(),
    service: text().notNull(),
    client_id: integer(),
    send_request_id: text(),
    /** of a request for this recipient alone, with its fingerprint; null again when the key may be used anew */
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
    /** null: it is final */
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
    /** its steps in their order, the first one is its acceptance */
    events: text({ mode: "json" }).$type<MessageEvent[]>().notNull().default([]),
    request_id: text().notNull(),
  },
  (t) => [
    index("messages_open").on(t.lane, t.next_attempt_at).where(sql`next_attempt_at IS NOT NULL`),
    // What never changes and is searched for stands in the index, so that a search reads no rows but those that it answers.
    index("messages_company").on(
      ...([t.company_id, t.accepted_at, t.id, t.lane, t.event_type, t.template_key, t.service, t.request_id] as const),
    ),
    // What support staff look for, and few messages come to.
    index("messages_troubled")
      .on(t.company_id, t.accepted_at, t.id, t.status)
      .where(sql`status ${among(troubledStatuses)}`),
    // By SMTP it is the id of the message itself.
    index("messages_provider").on(t.provider_message_id).where(sql`provider = 'api'`),
    index("messages_address").on(t.company_id, t.email_hmac, t.accepted_at),
    uniqueIndex("messages_key").on(t.service, t.company_id, t.idempotency_key).where(sql`idempotency_key IS NOT NULL`),
  ],
);

export const suppressions = sqliteTable(
  "suppressions",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    company_id: integer().notNull(),
    email_hmac: text().notNull(),
    email_masked: text().notNull(),
    reason: text({ enum: ["hard_bounce", "complaint", "manual", "provider"] }).notNull(),
    lanes: text({ mode: "json" }).$type<Lane[]>().notNull().default([]),
    expires_at: integer(),
    created_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("suppressions_address").on(t.company_id, t.email_hmac, t.reason),
    index("suppressions_company").on(t.company_id, t.id),
    index("suppressions_expires").on(t.expires_at).where(sql`expires_at IS NOT NULL`),
  ],
);

export const unsubscribes = sqliteTable(
  "unsubscribes",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    company_id: integer().notNull(),
    email_hmac: text().notNull(),
    category: text().notNull(),
    source: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("unsubscribes_address").on(t.company_id, t.email_hmac, t.category),
    index("unsubscribes_company").on(t.company_id, t.id),
  ],
);

/** An address that is being erased; the row goes with the last of its messages. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    /** the hashes of the address by each pepper */
    hashes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** what was accepted later stays */
    requested_at: integer().notNull(),
  },
  (t) => [index("erasures_requested").on(t.requested_at), index("erasures_company").on(t.company_id)],
);

export const audit_log = auditTable();

/** Event types that are written for each message or each minute: no index of types has them. */
export const frequentTypes = ["email.message.sent", "email.scheduled_job.succeeded"];

/** Sealed: `data` and `envelope` of events of a company; `body` of deliveries. */
export const event_log = sealedEventLogTable(frequentTypes);

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } =
  sealedWebhookTables();

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();
