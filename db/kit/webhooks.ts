import { type SQL, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  type SQLiteTable,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** The `rule_id` of a callback is -(CALLBACK_BASE + id of the service client). */
export const CALLBACK_BASE = 1_000_000_000_000;

type Columns<Name extends string> = Record<Name, AnySQLiteColumn>;

const deliveryColumns = () => ({
  seq: integer().primaryKey(),
  id: text().notNull().unique(),
  kind: text({ enum: ["webhook", "email", "callback"] }).notNull(),
  company_id: integer().notNull(),
  /** the subscription; -company_id for email posts; -(CALLBACK_BASE + id of the service client) for callbacks */
  rule_id: integer().notNull(),
  rule_name: text().notNull(),
  event_id: text().notNull(),
  event_type: text().notNull(),
  host: text().notNull(),
  body: text().notNull(),
  status: text({ enum: ["pending", "failed", "delivered", "dead"] }).notNull(),
  attempt_count: integer().notNull().default(0),
  claim_count: integer().notNull().default(0),
  requeue_count: integer().notNull().default(0),
  due_at: integer().notNull(),
  locked_until: integer(),
  lease_token: text(),
  /** the time of the first claim; a queue message claims only rows without it */
  dispatched_at: integer(),
  last_error: text(),
  last_error_code: text(),
  delivered_at: integer(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
});

const deliveryIndexes = (
  t: Columns<
    "kind" | "company_id" | "rule_id" | "event_id" | "host" | "due_at" | "locked_until" | "created_at" | "seq"
  >,
) => [
  uniqueIndex("action_deliveries_event").on(t.event_id, t.rule_id, t.kind),
  index("action_deliveries_waiting").on(t.rule_id, t.due_at).where(sql`status IN ('pending','failed')`),
  index("action_deliveries_leased").on(t.locked_until, t.rule_id, t.host).where(sql`locked_until IS NOT NULL`),
  index("action_deliveries_finished").on(t.kind, t.created_at).where(sql`status IN ('delivered','dead')`),
  index("action_deliveries_company").on(t.company_id, t.created_at, t.seq),
  // For requeues of many deliveries. The index is written only when a delivery is given up.
  index("action_deliveries_dead").on(t.rule_id, t.created_at).where(sql`status = 'dead'`),
];

const deliveryTable = () => sqliteTable("action_deliveries", deliveryColumns(), deliveryIndexes);

/** The HMAC of the email address of the user whom a sealed row concerns. An erasure finds the row by this HMAC. */
const subjectColumn = () => ({ subject_hmac: text() });
const bySubject = (name: string, t: Columns<"company_id" | "subject_hmac">) =>
  index(name).on(t.company_id, t.subject_hmac).where(sql`subject_hmac IS NOT NULL`);

const sealedDeliveryTable = () =>
  sqliteTable("action_deliveries", { ...deliveryColumns(), ...subjectColumn() }, (t) => [
    ...deliveryIndexes(t),
    bySubject("action_deliveries_subject", t),
  ]);

/**
 * Returns the tables for the subscriptions, deliveries, attempts, hosts and totals of webhooks. Each service has its
 * own tables.
 */
export function webhookTables() {
  const action_deliveries = deliveryTable();
  return { action_deliveries, ...relatedTables(action_deliveries) };
}

/** Like webhookTables, for a service that seals personal data in its events. */
export function sealedWebhookTables() {
  const action_deliveries = sealedDeliveryTable();
  return { action_deliveries, ...relatedTables(action_deliveries) };
}

function relatedTables(action_deliveries: Columns<"seq">) {
  const action_rules = sqliteTable(
    "action_rules",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      company_id: integer().notNull(),
      name: text().notNull(),
      description: text().notNull().default(""),
      event_type: text().notNull(),
      enabled: integer({ mode: "boolean" }).notNull().default(true),
      action_kind: text({ enum: ["webhook"] })
        .notNull()
        .default("webhook"),
      url: text().notNull(),
      /** the host and port of the URL, by which deliveries are limited */
      host: text().notNull(),
      secret_enc: text().notNull(),
      secret_hint: text().notNull(),
      previous_secret_enc: text(),
      previous_secret_expires_at: integer(),
      authorization_enc: text(),
      allow_private_urls: integer({ mode: "boolean" }).notNull().default(false),
      last_success_at: integer(),
      last_failure_at: integer(),
      failing_since: integer(),
      health_reason: text({ enum: ["failing_24h", "gone", "secret_unavailable"] }),
      /**
       * `failing_told_at`: when the owners were last notified of a failure; `is_failing_told`: whether that failure
       * continues
       */
      failing_told_at: integer(),
      is_failing_told: integer({ mode: "boolean" }).notNull().default(false),
      /** the time of the last notification, until identity has accepted its email; then null */
      notice_at: integer(),
      created_at: integer().notNull(),
      updated_at: integer().notNull(),
    },
    (t) => [
      index("action_rules_company").on(t.company_id, t.event_type, t.name),
      // For metrics, which count the failing subscriptions of all companies. Healthy subscriptions are not in the
      // index.
      index("action_rules_unhealthy")
        .on(sql`(CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)`)
        .where(sql`(failing_since IS NOT NULL OR health_reason IS NOT NULL)`),
      // For the check that runs every minute. Subscriptions whose owners were notified are not in the index.
      index("action_rules_untold")
        .on(sql`(CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)`)
        .where(sql`enabled = 1 AND is_failing_told = 0 AND (failing_since IS NOT NULL OR health_reason IS NOT NULL)`),
      index("action_rules_notice").on(t.notice_at).where(sql`notice_at IS NOT NULL`),
      index("action_rules_previous")
        .on(t.previous_secret_expires_at)
        .where(sql`previous_secret_expires_at IS NOT NULL`),
    ],
  );

  const delivery_attempts = sqliteTable(
    "delivery_attempts",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      delivery_seq: integer()
        .notNull()
        .references(() => action_deliveries.seq, { onDelete: "cascade" }),
      lease_token: text().notNull(),
      status: text({ enum: ["success", "failure"] }).notNull(),
      http_status: integer(),
      error_code: text(),
      error_message: text(),
      attempt_number: integer().notNull(),
      requeue_count: integer().notNull(),
      duration_ms: integer().notNull(),
      trigger: text({ enum: ["dispatch", "automatic_retry"] }).notNull(),
      scheduled_job_run_id: integer(),
      created_at: integer().notNull(),
    },
    (t) => [
      uniqueIndex("delivery_attempts_lease").on(t.delivery_seq, t.lease_token),
      index("delivery_attempts_run").on(t.scheduled_job_run_id).where(sql`scheduled_job_run_id IS NOT NULL`),
    ],
  );

  /** Hosts that did not respond to the last attempts. A response deletes the row. */
  const action_hosts = sqliteTable(
    "action_hosts",
    {
      host: text().primaryKey(),
      consecutive_failures: integer().notNull(),
      last_failure_at: integer().notNull(),
    },
    (t) => [
      index("action_hosts_failure").on(t.last_failure_at),
      index("action_hosts_limited").on(t.consecutive_failures).where(sql`consecutive_failures >= 10`),
    ],
  );

  /** Stored totals. Company 0 counts all companies. */
  const action_counters = sqliteTable(
    "action_counters",
    { company_id: integer().notNull(), name: text().notNull(), value: integer().notNull().default(0) },
    (t) => [primaryKey({ columns: [t.company_id, t.name] })],
  );

  return { action_rules, delivery_attempts, action_hosts, action_counters };
}

/** The company of platform events, which only staff may read. */
export const PLATFORM = 0;

/**
 * The `data` of a sealed event, whose data is only in the envelope. Storing the data twice would make the row of an email
 * event larger than a page of the index.
 */
export const DATA_IN_ENVELOPE = "";

const eventColumns = () => ({
  company_id: integer().notNull(),
  /** a time-ordered UUID; also the public id of the event, except in older rows */
  id: text().notNull(),
  /**
   * the public id of the event, when it differs from `id` or when the event must be found before its company is known
   */
  event_id: text(),
  event_type: text().notNull(),
  user_id: integer(),
  actor_email: text(),
  data: text().notNull(),
  /** JSON of the envelope's `actor` */
  actor: text(),
  /** the body of every webhook of the event; null for events that no subscription may receive */
  envelope: text(),
  created_at: integer().notNull(),
});

type EventColumns = Columns<"company_id" | "id" | "event_id" | "event_type">;

/** Returns `NOT IN (…)` with the frequently written types. The partial index of types contains this SQL verbatim. */
export const isNotAmong = (types: readonly string[]): SQL =>
  sql.raw(`NOT IN (${types.map((type) => `'${type}'`).join(",")})`);

/**
 * Returns the key and indexes of an event log, which is a table WITHOUT ROWID. Events of the `frequent` types are found
 * by walking the key instead of the index of types.
 */
export const eventIndexes = (t: EventColumns, frequent: readonly string[]) => [
  primaryKey({ columns: [t.company_id, t.id] }),
  uniqueIndex("event_log_event_id").on(t.event_id).where(sql`event_id IS NOT NULL`),
  index("event_log_rare")
    .on(t.company_id, t.event_type, t.id)
    .where(sql`event_type ${isNotAmong(frequent)}`),
];

/** Returns the table of an event log. Identity has its own table with additional columns for sign-ins. */
export function eventLogTable(frequent: readonly string[]) {
  return sqliteTable("event_log", eventColumns(), (t) => eventIndexes(t, frequent));
}

/** Like eventLogTable, for a service that seals personal data in its events. */
export function sealedEventLogTable(frequent: readonly string[]) {
  return sqliteTable(
    "event_log",
    {
      ...eventColumns(),
      ...subjectColumn(),
      /** the service client that receives the callback */
      client_id: integer(),
    },
    (t) => [...eventIndexes(t, frequent), bySubject("event_log_subject", t)],
  );
}

/** The tables that every service has, for the statements of the kit. */
export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } = webhookTables();
export const event_log = eventLogTable([]);

/** The table of deliveries with the additional columns of services that seal personal data. */
export const sealed_deliveries = sealedDeliveryTable();

/** The columns that every event log has. */
export type EventLogTable = SQLiteTable &
  Pick<
    typeof event_log,
    "id" | "event_id" | "company_id" | "event_type" | "user_id" | "data" | "actor" | "envelope" | "created_at"
  >;

export type RuleRow = typeof action_rules.$inferSelect;
export type DeliveryRow = typeof action_deliveries.$inferSelect;
export type AttemptRow = typeof delivery_attempts.$inferSelect;
