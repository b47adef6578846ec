import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Returns the tables for the runs, states and counters of scheduled jobs. Each service has its own tables. */
export function jobTables() {
  const scheduled_job_runs = sqliteTable(
    "scheduled_job_runs",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      job: text().notNull(),
      trigger: text({ enum: ["scheduler", "command"] }).notNull(),
      status: text({ enum: ["running", "succeeded", "failed"] }).notNull(),
      started_at: integer().notNull(),
      finished_at: integer(),
      duration_ms: integer(),
      /** the numbers of processed items by count name, and `complete` of a purge */
      counts: text({ mode: "json" }).$type<Record<string, number | boolean>>().notNull().default({}),
      error_key: text(),
      error_class: text(),
      error_message: text(),
      host: text().notNull(),
      event_log_id: integer(),
      /** null when the run took no lock */
      lock_fence: integer(),
    },
    (t) => [
      index("scheduled_job_runs_job").on(t.job, t.started_at),
      index("scheduled_job_runs_started").on(t.started_at),
      index("scheduled_job_runs_running").on(t.job, t.started_at).where(sql`status = 'running'`),
    ],
  );

  /**
   * One row per job, inserted by the migration. For a job that never succeeded, the time until it is overdue counts from
   * `created_at`. Rows are never purged.
   */
  const scheduled_job_states = sqliteTable("scheduled_job_states", {
    job: text().primaryKey(),
    created_at: integer().notNull(),
    last_started_at: integer(),
    last_success_at: integer(),
    last_failure_at: integer(),
    last_skipped_at: integer(),
    last_duration_ms: integer(),
    /** the fence of the newest run that took the lock; a run with a smaller fence may change nothing */
    fence: integer().notNull().default(0),
  });

  /**
   * The counters of a job: `runs.succeeded`, `runs.failed`, `runs.skipped_locked` and `items.{count name}`. Never
   * purged.
   */
  const scheduled_job_counters = sqliteTable(
    "scheduled_job_counters",
    { job: text().notNull(), name: text().notNull(), value: integer().notNull().default(0) },
    (t) => [primaryKey({ columns: [t.job, t.name] })],
  );

  return { scheduled_job_runs, scheduled_job_states, scheduled_job_counters };
}

/** The tables that every service has, for the statements of the kit. */
export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();

export type JobRunRow = typeof scheduled_job_runs.$inferSelect;
export type JobStateRow = typeof scheduled_job_states.$inferSelect;

/**
 * Returns the condition of every statement with which a run claims or deletes rows. `fence` is the fence of the run, or
 * null when it took no lock. After a run has lost its lock, the stored fence is larger, so the run changes nothing.
 */
export function holdsFence(job: string, fence: SQLWrapper): SQL {
  const { fence: newest, job: name } = scheduled_job_states;
  return sql`(${fence} is null or (select ${newest} from ${scheduled_job_states} where ${name} = ${job}) = ${fence})`;
}
