import * as z from "zod";

const time = z.iso.datetime();
const trigger = z.enum(["scheduler", "command"]);
const count = z.int().min(0);

/** One run of a scheduled job (details of Document 3, 3.8). */
export const jobRunSchema = z
  .object({
    id: z.int(),
    job: z.string(),
    trigger,
    status: z.enum(["running", "succeeded", "failed"]),
    started_at: time,
    finished_at: time.nullable(),
    duration_ms: count.nullable(),
    counts: z.record(z.string(), z.union([count, z.boolean()])),
    error_key: z.string().nullable(),
    error_class: z.string().nullable(),
    error_message: z.string().nullable(),
    host: z.string(),
    request_id: z.string(),
    event_log_id: z.int().nullable(),
  })
  .meta({ id: "ScheduledJobRun" });

const jobEntrySchema = z.object({
  job: z.string(),
  health: z.enum(["disabled", "failing", "overdue", "healthy"]),
  overdue: z.boolean(),
  interval_seconds: z.int(),
  overdue_after_seconds: z.int(),
  last_run: jobRunSchema.nullable(),
  last_success_at: time.nullable(),
  last_failure_at: time.nullable(),
  last_skipped_at: time.nullable(),
  last_duration_ms: count.nullable(),
  last_counts: jobRunSchema.shape.counts,
  next_expected_at: time,
  last_24h: z.object({ succeeded: count, failed: count }),
  skipped_locked_total: count,
  lock: z.object({ held: z.literal(true), trigger, host: z.string(), acquired_at: time, expires_at: time }).nullable(),
});

/** `GET /api/v1/scheduled-jobs`. */
export const scheduledJobsSchema = z.object({
  generated_at: time,
  scheduler_enabled: z.boolean(),
  broker_reachable: z.boolean().nullable(),
  beat_last_seen_at: time.nullable(),
  beat_stale: z.boolean(),
  scheduler_state: z.enum(["running", "stale", "no_broker", "disabled"]),
  jobs: z.array(jobEntrySchema),
});

/** `GET /api/v1/scheduled-jobs/{job}/runs`. */
export const jobRunPageSchema = z.object({
  job: z.string(),
  results: z.array(jobRunSchema),
  next_cursor: z.string().nullable(),
});

const runAttemptSchema = z.object({
  id: z.int(),
  delivery_id: z.string(),
  company_id: z.int(),
  event_type: z.string(),
  status: z.enum(["success", "failure"]),
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  attempt_number: z.int(),
  duration_ms: z.int().nullable(),
  trigger: z.enum(["dispatch", "automatic_retry"]),
  created_at: time,
});

const runEmailEventSchema = z.object({
  id: z.string(),
  company_id: z.int(),
  event_type: z.string(),
  status: z.enum(["pending", "failed", "delivered", "dead"]),
  attempt_count: z.int(),
  delivered_at: time.nullable(),
});

/** What a run sent, oldest first, at most 100 of each. */
export const runDeliveriesSchema = z.object({
  webhook_delivery_attempts: z.array(runAttemptSchema),
  webhook_delivery_attempts_truncated: z.boolean(),
  email_events: z.array(runEmailEventSchema),
  email_events_truncated: z.boolean(),
});

/** `GET /api/v1/scheduled-jobs/runs/{id}`. */
export const jobRunDetailSchema = jobRunSchema.extend(runDeliveriesSchema.shape).meta({ id: "ScheduledJobRunDetail" });
