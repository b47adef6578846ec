// The tables of the job `watch`; part of schema.ts.
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The conditions that hold, and those that ended since the last check. There are at most a few dozen rows. A deleted row means
 * that the condition does not hold. `WITHOUT ROWID`.
 */
export const alerts = sqliteTable("alerts", {
  /** `service/code`, or `service/code/job` for a job */
  id: text().primaryKey(),
  service: text().notNull(),
  code: text().notNull(),
  /** the job, or "" */
  job: text().notNull(),
  /** the count of the overview when the row was stored or fired; null for conditions without a count */
  count: integer(),
  /** when a check first found the condition */
  started_at: integer().notNull(),
  /** when it was reported; null while it has not held long enough */
  fired_at: integer(),
  /** when a check first no longer found the reported condition; null while it holds */
  cleared_at: integer(),
});

/** A condition in a notice. `ended_at` is null in a notice that conditions started. Times are unix ms. */
type Noticed = {
  service: string;
  code: string;
  job: string;
  count: number | null;
  started_at: number;
  ended_at: number | null;
};

/** The notices that conditions started or ended, until they are mailed and posted. `WITHOUT ROWID`. */
export const alert_notices = sqliteTable("alert_notices", {
  /** hash of the conditions and their times; also the idempotency key of the mails and the `webhook-id` */
  id: text().primaryKey(),
  kind: text({ enum: ["firing", "resolved"] }).notNull(),
  alerts: text({ mode: "json" }).$type<Noticed[]>().notNull(),
  is_mail_due: integer({ mode: "boolean" }).notNull(),
  is_post_due: integer({ mode: "boolean" }).notNull(),
  /** attempts to post it to `WATCH_WEBHOOK_URL` */
  post_attempts: integer().notNull().default(0),
  created_at: integer().notNull(),
});
