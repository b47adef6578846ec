import type { AttemptRow, DeliveryRow } from "../../../../db/kit/webhooks";
import { sql } from "../../db";
import type { DeliveriesOfRun } from "../../jobs/job.routes";

/** Most of each that a run shows (details of Document 3, 3.8). */
const MOST = 100;

const OF_RUN = "t.scheduled_job_run_id IS NOT NULL AND t.scheduled_job_run_id = ?1";

type RunAttempt = Omit<
  AttemptRow,
  "delivery_seq" | "lease_token" | "error_message" | "requeue_count" | "scheduled_job_run_id"
> &
  Pick<DeliveryRow, "company_id" | "event_type"> & { delivery_id: string };

/** (run, how many): attempts of webhooks and callbacks of every company, oldest first. */
const listAttempts =
  sql(`SELECT t.id, d.id AS delivery_id, d.company_id, d.event_type, t.status, t.http_status, t.error_code,
  t.attempt_number, t.duration_ms, t.trigger, t.created_at
FROM delivery_attempts t CROSS JOIN action_deliveries d ON d.seq = t.delivery_seq AND d.kind <> 'email'
WHERE ${OF_RUN} ORDER BY t.id LIMIT ?2`);

type RunEmailPost = Pick<DeliveryRow, "id" | "company_id" | "event_type" | "status" | "attempt_count" | "delivered_at">;

/** (run, how many): posts to the email service that it attempted, oldest first. */
const listEmailPosts = sql(`SELECT d.id, d.company_id, d.event_type, d.status, d.attempt_count, d.delivered_at
FROM action_deliveries d WHERE d.kind = 'email'
  AND d.seq IN (SELECT t.delivery_seq FROM delivery_attempts t WHERE ${OF_RUN}) ORDER BY d.seq LIMIT ?2`);

/** What a run sent, for staff (details of Document 3, 3.8). */
export const deliveriesOfRun: DeliveriesOfRun = {
  reads: (db, runId) => [listAttempts.bind(db, runId, MOST + 1), listEmailPosts.bind(db, runId, MOST + 1)],
  present: (results) => {
    const attempts = (results[0]?.results ?? []) as RunAttempt[];
    const posts = (results[1]?.results ?? []) as RunEmailPost[];
    return {
      webhook_delivery_attempts: attempts.slice(0, MOST).map(({ created_at, ...attempt }) => ({
        ...attempt,
        created_at: new Date(created_at).toISOString(),
      })),
      webhook_delivery_attempts_truncated: attempts.length > MOST,
      email_events: posts.slice(0, MOST).map(({ delivered_at, ...post }) => ({
        ...post,
        delivered_at: delivered_at === null ? null : new Date(delivered_at).toISOString(),
      })),
      email_events_truncated: posts.length > MOST,
    };
  },
};
