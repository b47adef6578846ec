import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { jobTables } from "../kit/jobs";
import { eventIndexes, webhookTables } from "../kit/webhooks";
import { mailColumns } from "./mail-columns";
import type { oauth_clients, oauth_states } from "./oauth-tables";

export { group_groups, group_members, groups } from "./groups";
export { invitations } from "./invitations";
export { type ClientConfig, identities, oauth_clients, oauth_states } from "./oauth-tables";
export { scim_companies, scim_events, scim_tokens, scim_users } from "./scim";

// Column names equal the property names. Booleans are 0 and 1, JSON is text, and times are integer unix milliseconds.
// Tables with a text key are WITHOUT ROWID, which only the migrations state. Memberships are not, because SQLite would
// then walk their key instead of the index of owners.

export const users = sqliteTable(
  "users",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    email: text().notNull().unique(),
    email_verified_at: integer(),
    username: text().notNull().unique(),
    first_name: text().notNull().default(""),
    last_name: text().notNull().default(""),
    avatar_url: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>().notNull().default({}),
    is_active: integer({ mode: "boolean" }).notNull().default(true),
    is_staff: integer({ mode: "boolean" }).notNull().default(false),
    /** paths of the places that the user has pinned in the sidebar of the shell */
    pinned: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** when the user was last seen in any company; maintained by the triggers of 0014_hot_path.sql */
    last_seen_at: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [index("users_staff").on(t.id).where(sql`is_staff = 1`)],
);

export const preferences = sqliteTable("preferences", {
  user_id: integer().primaryKey(),
  theme_name: text().notNull().default("default"),
  language: text().notNull().default("en"),
  region: text().notNull().default("UTC"),
  color_scheme: text().notNull().default("system"),
  updated_at: integer().notNull(),
});

export const companies = sqliteTable("companies", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  slug: text().notNull().unique(),
  access_mode: text({ enum: ["public", "domain", "invite"] })
    .notNull()
    .default("public"),
  allowed_email_domains: text({ mode: "json" }).$type<string[]>().notNull().default([]),
  enable_magic_link: integer({ mode: "boolean" }).notNull().default(true),
  /** whether users are emailed about a sign-in on a new device */
  notify_new_device: integer({ mode: "boolean" }).notNull().default(false),
  is_active: integer({ mode: "boolean" }).notNull().default(true),
  data_retention_days: integer().notNull().default(7),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
});

export const memberships = sqliteTable(
  "memberships",
  {
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    state: text({ enum: ["allowed", "pending", "denied"] }).notNull(),
    state_reason: text({ enum: ["join_rule", "admin", "scim"] }).notNull(),
    state_at: integer().notNull(),
    is_owner: integer({ mode: "boolean" }).notNull().default(false),
    /** names and metadata as the company sees them, if they differ from the account */
    profile: text({ mode: "json" }).$type<{
      first_name?: string;
      last_name?: string;
      metadata?: Record<string, unknown>;
    }>(),
    last_seen_at: integer(),
    created_at: integer().notNull(),
    /** names of the groups that the member belongs to, directly or through another group; null when there are none */
    group_names: text({ mode: "json" }).$type<string[]>(),
    /** true when `group_names` omits some groups, because the number and size of names in a token are limited */
    groups_truncated: integer({ mode: "boolean" }).notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.user_id] }),
    index("memberships_user").on(t.user_id),
    index("memberships_owners").on(t.company_id).where(sql`is_owner = 1`),
    // Contains only requests to join, so that other sign-ins do not write it.
    index("memberships_pending").on(t.company_id, t.user_id).where(sql`state = 'pending'`),
  ],
);

/**
 * The browser that requested a sign-in link: its name and operating system, its country, and the hash of its cookie.
 */
export type RequestingBrowser = { device: string | null; country: string | null; browser_hash: string | null };

export const sign_in_requests = sqliteTable(
  "sign_in_requests",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    user_id: integer(),
    email: text().notNull(),
    token_hash: text().notNull().unique(),
    code_hash: text(),
    code_tries: integer().notNull().default(0),
    redirect_to: text().notNull(),
    token_delivery: text({ enum: ["code", "fragment"] }).notNull(),
    code_challenge: text(),
    language: text().notNull(),
    client_timezone: text().notNull().default(""),
    device_hash: text(),
    /** the origin of the request, shown on the page that confirms it */
    asked_from: text({ mode: "json" }).$type<RequestingBrowser>(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    consumed_at: integer(),
    consume_nonce: text(),
    ...mailColumns(),
  },
  (t) => [
    index("sign_in_requests_address").on(t.email, t.company_id, t.expires_at),
    index("sign_in_requests_mail").on(t.mail_next_at).where(sql`mail_state = 'waiting'`),
  ],
);

export const auth_codes = sqliteTable(
  "auth_codes",
  {
    code_hash: text().primaryKey(),
    user_id: integer().notNull(),
    company_id: integer().notNull(),
    provider: text().notNull(),
    redirect_to: text().notNull(),
    /** the canonical form of redirect_to, which the redeeming request must match */
    redirect_key: text().notNull(),
    code_challenge: text(),
    auth_time: integer().notNull(),
    client_context: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    redeemed_at: integer(),
    redeem_nonce: text(),
  },
  (t) => [index("auth_codes_company").on(t.company_id, t.created_at)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    user_id: integer().notNull(),
    company_id: integer().notNull(),
    provider: text().notNull(),
    counter: integer().notNull().default(0),
    auth_time: integer().notNull(),
    rotated_at: integer().notNull(),
    idle_expires_at: integer().notNull(),
    absolute_expires_at: integer().notNull(),
    revoked_at: integer(),
    revoke_reason: text(),
    country: text(),
    user_agent: text().notNull().default(""),
    /** a key that distinguishes the devices of a user */
    device: text(),
    created_at: integer().notNull(),
  },
  (t) => [index("sessions_user_company").on(t.user_id, t.company_id)],
);

export const oauth_redirects = sqliteTable(
  "oauth_redirects",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    base_url: text().notNull(),
    label: text().notNull().default(""),
    source: text({ enum: ["manual", "hosting"] })
      .notNull()
      .default("manual"),
    is_active: integer({ mode: "boolean" }).notNull().default(true),
    created_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("oauth_redirects_origin").on(t.company_id, t.base_url),
    index("oauth_redirects_oldest").on(t.company_id, t.created_at, t.id),
  ],
);

/** Event types that are written for each sign-in or each minute. The index of types omits them. */
export const frequentTypes = [
  "identity.auth.magic_link.requested",
  "identity.auth.login.succeeded",
  "identity.auth.login.failed",
  "identity.scheduled_job.succeeded",
];

export const event_log = sqliteTable(
  "event_log",
  {
    company_id: integer().notNull(),
    /** a time-ordered UUID; also the public id of the event, except in older rows */
    id: text().notNull(),
    /**
     * the public id of the event, when it differs from `id` or when the event must be found before its company is known
     */
    event_id: text(),
    event_type: text().notNull(),
    user_id: integer(),
    user_email: text(),
    data: text().notNull(),
    actor: text(),
    /** the body of every webhook of the event; null for events without webhooks */
    envelope: text(),
    outcome: text(),
    provider: text(),
    is_staff_at_event: integer({ mode: "boolean" }),
    country: text(),
    city: text(),
    timezone: text(),
    created_at: integer().notNull(),
  },
  (t) => [
    ...eventIndexes(t, frequentTypes),
    index("event_log_user").on(t.user_id, t.company_id, t.id).where(sql`user_id IS NOT NULL`),
    // Rejected sign-ins of all companies by time, for the overview of staff. Other sign-ins do not write it.
    index("event_log_refused").on(t.id).where(sql`outcome = 'failure'`),
  ],
);

export const mail_outbox = sqliteTable(
  "mail_outbox",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    /**
     * `erasure` requests the erasure of an address from the email service; all other kinds are emails. `new_device`
     * stores no content: its id is the id of the session, from which each attempt builds the email.
     */
    kind: text({ enum: ["magic_link", "membership", "notice", "new_device", "erasure"] }).notNull(),
    idempotency_key: text().notNull().unique(),
    sealed: text(),
    state: text({ enum: ["waiting", "sent", "failed", "expired"] }).notNull(),
    attempts: integer().notNull().default(0),
    next_at: integer().notNull(),
    deadline_at: integer().notNull(),
    locked_until: integer(),
    lease: text(),
    last_error: text(),
    request_id: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    index("mail_outbox_due").on(t.next_at).where(sql`state = 'waiting'`),
    index("mail_outbox_company").on(t.company_id),
  ],
);

/** Counters of a company. For company 0, `companies` is the number of companies. */
export const counters = sqliteTable(
  "counters",
  {
    company_id: integer().notNull(),
    name: text().notNull(),
    label: text().notNull().default(""),
    value: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.name, t.label] })],
);

export const personal_access_tokens = sqliteTable(
  "personal_access_tokens",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    jti: text().notNull().unique(),
    name: text().notNull().default(""),
    read_only: integer({ mode: "boolean" }).notNull().default(false),
    access_global_metrics: integer({ mode: "boolean" }).notNull().default(false),
    /** the staff user who set access_global_metrics; the flag is valid only while that user is active staff */
    agm_set_by: integer(),
    /** the token that created this token, which ends with its parent */
    parent_id: text(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    last_used_at: integer(),
    last_used_network: text(),
    use_count: integer().notNull().default(0),
    revoked_at: integer(),
  },
  (t) => [
    index("personal_access_tokens_user").on(t.company_id, t.user_id, t.created_at),
    index("personal_access_tokens_live").on(t.company_id, t.user_id, t.expires_at).where(sql`revoked_at IS NULL`),
    index("personal_access_tokens_parent").on(t.parent_id).where(sql`parent_id IS NOT NULL`),
    index("personal_access_tokens_expires").on(t.expires_at),
    index("personal_access_tokens_revoked").on(t.revoked_at).where(sql`revoked_at IS NOT NULL`),
  ],
);

/**
 * Totals of a company; company 0 counts the users of all companies. The triggers of 0014_hot_path.sql maintain every
 * column except `counts`.
 */
export const company_totals = sqliteTable("company_totals", {
  company_id: integer().primaryKey(),
  /** number of memberships; for company 0, of users */
  members: integer().notNull().default(0),
  /** number of memberships in the state `allowed`; for company 0, of active users */
  allowed: integer().notNull().default(0),
  /** number of staff among the members */
  staff: integer().notNull().default(0),
  /** number of provider identities with which members can sign in to this company; for company 0, of all */
  identities: integer().notNull().default(0),
  /** the number of users last seen on each of the last 40 days, by unix day */
  seen: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  /** counts of the event log before `folded_until`, by `name` or `name:label` */
  counts: text({ mode: "json" }).$type<Record<string, number>>().notNull().default({}),
  /** only for company 0: the time up to which `counts` includes the log of every company */
  folded_until: integer(),
});

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } = webhookTables();

export type CompanyRow = typeof companies.$inferSelect;
export type UserRow = typeof users.$inferSelect;
export type SignInRequestRow = typeof sign_in_requests.$inferSelect;
export type AuthCodeRow = typeof auth_codes.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;
export type OAuthStateRow = typeof oauth_states.$inferSelect;
export type Provider = OAuthClientRow["provider"];
export type OAuthClientRow = typeof oauth_clients.$inferSelect;
export type PatRow = typeof personal_access_tokens.$inferSelect;
export type MailRow = typeof mail_outbox.$inferSelect;
export type EventRow = typeof event_log.$inferSelect;
