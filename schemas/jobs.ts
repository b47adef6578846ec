import * as z from "zod";
import { lazySchema } from "./lazy-schema";

const time = () => z.iso.datetime();
const trigger = () => z.enum(["scheduler", "command"]);
const count = () => z.int().min(0);

const runExample = {
  id: 1235,
  job: "purge_expired_data",
  trigger: "scheduler" as const,
  status: "succeeded" as const,
  started_at: "2026-11-21T10:17:00.042Z",
  finished_at: "2026-11-21T10:17:00.454Z",
  duration_ms: 412,
  counts: { events: 1840, scheduled_job_runs: 168, complete: true },
  error_key: null,
  error_class: null,
  error_message: null,
  host: "platform-identity@FRA:1f2e3d4c",
  request_id: "sjr-1235",
  event_log_id: 90311,
};

/** One run of a scheduled job. */
export const jobRunSchema = lazySchema(() =>
  z
    .object({
      id: z.int(),
      job: z.string(),
      trigger: trigger(),
      status: z.enum(["running", "succeeded", "failed"]),
      started_at: time(),
      finished_at: time().nullable(),
      duration_ms: count().nullable(),
      counts: z.record(z.string(), z.union([count(), z.boolean()])),
      error_key: z.string().nullable(),
      error_class: z.string().nullable(),
      error_message: z.string().nullable(),
      host: z.string(),
      request_id: z.string(),
      event_log_id: z.int().nullable(),
    })
    .meta({ id: "ScheduledJobRun", examples: [runExample] }),
);

const jobEntrySchema = lazySchema(() =>
  z.object({
    job: z.string(),
    health: z.enum(["disabled", "failing", "overdue", "healthy"]),
    overdue: z.boolean(),
    interval_seconds: z.int(),
    overdue_after_seconds: z.int(),
    last_run: jobRunSchema.unwrap().nullable(),
    last_success_at: time().nullable(),
    last_failure_at: time().nullable(),
    last_skipped_at: time().nullable(),
    last_duration_ms: count().nullable(),
    last_counts: jobRunSchema.unwrap().shape.counts,
    next_expected_at: time(),
    last_24h: z.object({ succeeded: count(), failed: count() }),
    skipped_locked_total: count(),
    lock: z
      .object({ held: z.literal(true), trigger: trigger(), host: z.string(), acquired_at: time(), expires_at: time() })
      .nullable(),
  }),
);

/** Response of `GET /api/v1/scheduled-jobs`. */
export const scheduledJobsSchema = lazySchema(() =>
  z
    .object({
      generated_at: time(),
      scheduler_enabled: z.boolean(),
      broker_reachable: z.boolean().nullable(),
      beat_last_seen_at: time().nullable(),
      beat_stale: z.boolean(),
      scheduler_state: z.enum(["running", "stale", "no_broker", "disabled"]),
      jobs: z.array(jobEntrySchema.unwrap()),
    })
    .meta({
      id: "ScheduledJobs",
      examples: [
        {
          generated_at: "2026-11-21T10:30:01.123Z",
          scheduler_enabled: true,
          broker_reachable: true,
          beat_last_seen_at: "2026-11-21T10:30:00.001Z",
          beat_stale: false,
          scheduler_state: "running",
          jobs: [
            {
              job: "purge_expired_data",
              health: "healthy",
              overdue: false,
              interval_seconds: 3600,
              overdue_after_seconds: 8100,
              last_run: runExample,
              last_success_at: runExample.finished_at,
              last_failure_at: null,
              last_skipped_at: null,
              last_duration_ms: 412,
              last_counts: runExample.counts,
              next_expected_at: "2026-11-21T11:17:00.000Z",
              last_24h: { succeeded: 24, failed: 0 },
              skipped_locked_total: 0,
              lock: null,
            },
          ],
        },
      ],
    }),
);

/** Response of `GET /api/v1/scheduled-jobs/{job}/runs`. */
export const jobRunPageSchema = lazySchema(() =>
  z
    .object({ job: z.string(), results: z.array(jobRunSchema.unwrap()), next_cursor: z.string().nullable() })
    .meta({ id: "ScheduledJobRunPage", examples: [{ job: runExample.job, results: [runExample], next_cursor: null }] }),
);

const runAttemptSchema = lazySchema(() =>
  z.object({
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
    created_at: time(),
  }),
);

const runEmailEventSchema = lazySchema(() =>
  z.object({
    id: z.string(),
    company_id: z.int(),
    event_type: z.string(),
    status: z.enum(["pending", "failed", "delivered", "dead"]),
    attempt_count: z.int(),
    delivered_at: time().nullable(),
  }),
);

/** The delivery attempts and email events of a run: at most 100 of each, oldest first. */
export const runDeliveriesSchema = lazySchema(() =>
  z.object({
    webhook_delivery_attempts: z.array(runAttemptSchema.unwrap()),
    webhook_delivery_attempts_truncated: z.boolean(),
    email_events: z.array(runEmailEventSchema.unwrap()),
    email_events_truncated: z.boolean(),
  }),
);

/** Response of `GET /api/v1/scheduled-jobs/runs/{id}`. */
export const jobRunDetailSchema = lazySchema(() =>
  jobRunSchema
    .unwrap()
    .extend(runDeliveriesSchema.unwrap().shape)
    .meta({
      id: "ScheduledJobRunDetail",
      examples: [
        {
          ...runExample,
          id: 1234,
          job: "retry_webhooks",
          counts: { webhook_deliveries_attempted: 1, webhook_deliveries_succeeded: 1 },
          request_id: "sjr-1234",
          webhook_delivery_attempts: [
            {
              id: 88,
              delivery_id: "7d0c8f0e-3f0a-4a35-9d2c-1f2e3d4c5b6a",
              company_id: 42,
              event_type: "hosting.app.created",
              status: "success",
              http_status: 204,
              error_code: null,
              attempt_number: 2,
              duration_ms: 48,
              trigger: "automatic_retry",
              created_at: "2026-11-21T10:17:00.210Z",
            },
          ],
          webhook_delivery_attempts_truncated: false,
          email_events: [],
          email_events_truncated: false,
        },
      ],
    }),
);
