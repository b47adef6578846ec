import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { auditTable } from "../kit/audit";
import { jobTables } from "../kit/jobs";
import { sealedEventLogTable, sealedWebhookTables } from "../kit/webhooks";
import { COMPANY_TRANSPORTS } from "./transports";

export { alert_notices, alerts } from "./alert-tables";
export { broadcast_recipients, broadcasts, deleted_newsletters, newsletters, subscribers } from "./audience-tables";
export {
  default_contents,
  event_types,
  library_templates,
  library_versions,
  rules,
  template_versions,
  templates,
} from "./content-tables";
export { figure_hours, message_totals, skip_days, stats_days, stats_marks } from "./count-tables";
export { direct_contents, isTroubled, message_attachments, messages, troubledStatuses } from "./message-tables";

type Lane = "auth" | "transactional" | "bulk";
/**
 * The results of the DNS checks of a sending domain. `detail_code` is the reason why a check is not `pass`. Times are
 * unix ms.
 */
type DomainHealth = {
  checked_at: number;
  domain: string;
  checks: { name: string; status: string; detail_code: string }[];
  /** time of the last check without a DNS response; `checked_at` is 0 when there never was a response */
  tried_at?: number;
};

// Column names equal the property names. Times are integer unix milliseconds. `*_enc` columns are sealed with a key
// from the settings. Tables without a random id have a random `seal_id` for sealing.

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
    /** the company whose owners created the key; null for a service client, which staff create */
    owner_company_id: integer(),
    callback_url: text(),
    /** host and port of the URL, as webhook deliveries store them */
    callback_host: text(),
    callback_secret_enc: text(),
    seal_id: text().notNull(),
    active: integer({ mode: "boolean" }).notNull().default(true),
    last_used_at: integer(),
    created_at: integer().notNull(),
  },
  (t) => [
    index("service_clients_previous").on(t.previous_key_hash).where(sql`previous_key_hash IS NOT NULL`),
    // Without API keys, of which there can be many more than service clients.
    index("service_clients_staff").on(t.service, t.id).where(sql`owner_company_id IS NULL`),
    index("service_clients_owner").on(t.owner_company_id, t.id).where(sql`owner_company_id IS NOT NULL`),
  ],
);

export const company_providers = sqliteTable("company_providers", {
  company_id: integer().primaryKey(),
  seal_id: text().notNull(),
  provider: text({ enum: [...COMPANY_TRANSPORTS] }).notNull(),
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
  /** `name` or `name:value` of tags of direct mail that recipients can do without; see email-direct.md */
  optional_tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  /** result of the last DNS check of the sending domain; null before the first check */
  domain_health: text({ mode: "json" }).$type<DomainHealth>(),
  updated_at: integer().notNull(),
});

export const company_profiles = sqliteTable("company_profiles", {
  company_id: integer().primaryKey(),
  name: text().notNull(),
  updated_at: integer().notNull(),
});

/** Branding of a company's emails. "" in a column means the default of the design. */
export const brandings = sqliteTable("brandings", {
  company_id: integer().primaryKey(),
  /** `#rrggbb`, lower case */
  primary_color: text().notNull().default(""),
  logo_url: text().notNull().default(""),
  /** the logo on dark backgrounds; "": `logo_url` on a white plate */
  logo_dark_url: text().notNull().default(""),
  postal_address: text().notNull().default(""),
  footer_text: text().notNull().default(""),
  /** footers by language, which replace `footer_text` in mail of that language */
  footer_texts: text({ mode: "json" }).$type<Partial<Record<"en" | "fr", string>>>().notNull().default({}),
  /** pages on social networks by network */
  social_links: text({ mode: "json" }).$type<Partial<Record<string, string>>>().notNull().default({}),
  updated_at: integer().notNull(),
});

export const lane_states = sqliteTable(
  "lane_states",
  {
    lane: text({ enum: ["auth", "transactional", "bulk"] }).notNull(),
    /** 0 when staff paused the lane for all companies */
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

/** The companies whose bulk mail caused too many complaints; see delivery/bulk/complaints.ts. */
export const complaint_breakers = sqliteTable(
  "complaint_breakers",
  {
    company_id: integer().primaryKey(),
    /** the time of the last warning in the log */
    warned_at: integer(),
    /** identifies the mail to the owners that identity has not accepted yet; null when none is due */
    notice_at: integer(),
    /** the counts when the lane was paused */
    complained: integer().notNull().default(0),
    sent: integer().notNull().default(0),
    /** the counts `[complained, delivered, sent]` by UTC day when staff last resumed the lane; they do not count again */
    forgiven: text({ mode: "json" }).$type<Record<string, [number, number, number]>>().notNull().default({}),
  },
  (t) => [index("complaint_breakers_notice").on(t.notice_at).where(sql`notice_at IS NOT NULL`)],
);

/** The circuit breaker of each sender, which opens after repeated retryable failures. A sender without failures has no row. */
export const sender_breakers = sqliteTable(
  "sender_breakers",
  {
    scope: text({ enum: ["company", "platform"] }).notNull(),
    company_id: integer().notNull(),
    lane: text({ enum: ["auth", "transactional", "bulk"] }).notNull(),
    /** level of the leaky bucket: a failure adds 2, an accepted email removes 1 */
    failures: integer().notNull(),
    open_until: integer().notNull().default(0),
    /**
     * how often the breaker opened since the last accepted email; each opening lasts twice as long as the previous one
     */
    opens: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.scope, t.company_id, t.lane] }),
    index("sender_breakers_company").on(t.company_id),
    index("sender_breakers_opened").on(t.scope, t.lane, t.open_until).where(sql`open_until > 0`),
  ],
);

/** The reasons why an accepted event created no message at all, or no message for one recipient. `WITHOUT ROWID`. */
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
    /** true for the first decision of an event that queued no message; statistics count only this one */
    is_skip: integer({ mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.id] }),
    index("decisions_address").on(t.company_id, t.email_hmac).where(sql`email_hmac IS NOT NULL`),
  ],
);

/**
 * Events from providers, stored once each. A row that is not applied waits until the acceptance of its message is
 * stored. `WITHOUT ROWID`.
 */
export const provider_events = sqliteTable(
  "provider_events",
  {
    /** owner of the secret with which the event was verified: `platform`, or a company id as text */
    signing_scope: text().notNull(),
    hook_id: text().notNull(),
    /** the provider's id of a message that is not known yet */
    provider_message_id: text(),
    /** the sealed event while it waits */
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

/** Requests with an idempotency key. A request with one recipient is stored in its message instead. */
export const send_requests = sqliteTable(
  "send_requests",
  {
    /** 32 hex characters of a time-ordered uuid, like message ids */
    id: text().primaryKey(),
    service: text().notNull(),
    company_id: integer().notNull(),
    idempotency_key: text().notNull(),
    path: text().notNull(),
    fingerprint: text().notNull(),
    /** the response that a repeated request receives */
    response: text({ mode: "json" }).$type<object>().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [uniqueIndex("send_requests_key").on(t.service, t.company_id, t.idempotency_key)],
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

/** Addresses that are being erased. A row is deleted together with the last message of the address. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    /** one hash of the address per pepper */
    hashes: text({ mode: "json" }).$type<string[]>().notNull(),
    /** messages accepted later are not erased */
    requested_at: integer().notNull(),
  },
  (t) => [index("erasures_requested").on(t.requested_at), index("erasures_company").on(t.company_id)],
);

export const audit_log = auditTable();

/** Event types that are written for each message or each minute. The indexes by type omit them. */
export const frequentTypes = ["email.message.sent", "email.scheduled_job.succeeded"];

/** The `data` and `envelope` of a company's events are sealed, and so is the `body` of deliveries. */
export const event_log = sealedEventLogTable(frequentTypes);

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } =
  sealedWebhookTables();

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();
