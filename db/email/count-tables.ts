// The tables of counters, by day for companies and by hour for metrics; part of schema.ts.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Columns that count messages by status. */
const statusCounts = () => ({
  sent: integer().notNull().default(0),
  delivered: integer().notNull().default(0),
  bounced: integer().notNull().default(0),
  complained: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  expired: integer().notNull().default(0),
  suppressed: integer().notNull().default(0),
  cancelled: integer().notNull().default(0),
});

/**
 * Numbers of accepted events that queued no message, and of refused recipients of events and batches
 * (`recipient_suppressed`, `unsubscribed`), by UTC day and reason. `WITHOUT ROWID`.
 */
export const skip_days = sqliteTable(
  "skip_days",
  {
    company_id: integer().notNull(),
    day: text().notNull(),
    lane: text().notNull(),
    event_type: text().notNull(),
    reason: text({
      enum: [
        ...(["no_recipients", "rule_disabled", "no_rule"] as const),
        ...(["recipient_suppressed", "unsubscribed"] as const),
      ],
    }).notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.day, t.lane, t.event_type, t.reason] })],
);

/** One roll-up row per company, UTC day, lane and event, with one integer per count key. */
export const stats_days = sqliteTable(
  "stats_days",
  {
    company_id: integer().notNull(),
    day: text().notNull(),
    lane: text().notNull(),
    event_type: text().notNull(),
    queued: integer().notNull().default(0),
    ...statusCounts(),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.day, t.lane, t.event_type] }),
    // Finds the companies whose bulk email received complaints.
    index("stats_days_complaints").on(t.day, t.company_id).where(sql`lane = 'bulk' and complained > 0`),
  ],
);

/** A single row. The roll-ups contain exactly the messages with ids from before `counted_before` (unix ms). */
export const stats_marks = sqliteTable("stats_marks", {
  id: integer().primaryKey(),
  counted_before: integer().notNull(),
});

/**
 * All-time message counts of a company by lane and status; company 0 counts all companies. Triggers of stats_days
 * maintain them.
 */
export const message_totals = sqliteTable(
  "message_totals",
  {
    company_id: integer().notNull(),
    lane: text().notNull(),
    ...statusCounts(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.lane] })],
);

/**
 * Metrics by hour (unix hours; 0 for all time) of a company and, as company 0, of all companies. `a` and `b` are: lane
 * and bucket (ms) for `send_latency` and `delivery_latency`, provider and code for `provider_error`, type and result
 * for `provider_event`, the limit for `rate_limited`, the reason for `suppressions`. Triggers maintain `suppressions`.
 */
export const figure_hours = sqliteTable(
  "figure_hours",
  {
    company_id: integer().notNull(),
    hour: integer().notNull(),
    name: text({
      enum: [
        ...(["send_latency", "delivery_latency", "provider_error", "provider_event"] as const),
        ...(["rate_limited", "suppressions", "skipped"] as const),
      ],
    }).notNull(),
    a: text().notNull(),
    b: text().notNull().default(""),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.hour, t.name, t.a, t.b] })],
);
