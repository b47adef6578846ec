import { iso } from "../../time";
import type { AttemptFacts, ListedDelivery } from "./delivery.store";

/** Returns a webhook delivery in the form of the API; only staff see job runs. */
export function presentDelivery(row: ListedDelivery, isStaff: boolean) {
  const isWaiting = row.status === "pending" || row.status === "failed";
  const isPaused = isWaiting && row.rule_enabled === false;
  const attempts = row.attempts.toSorted((a, b) => b.id - a.id);
  return {
    id: row.id,
    company_id: row.company_id,
    action_rule_id: row.rule_id,
    action_rule_name: row.rule_name,
    action_kind: "webhook",
    event_type: row.event_type,
    webhook_id: row.event_id,
    status: row.status,
    paused: isPaused,
    attempt_count: row.attempt_count,
    requeue_count: row.requeue_count,
    next_attempt_at: isWaiting && !isPaused ? iso(row.due_at) : null,
    last_error: row.last_error,
    last_error_code: row.last_error_code,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    delivered_at: iso(row.delivered_at),
    attempts: attempts.map((attempt) => presentAttempt(attempt, isStaff)),
  };
}

/** Like presentDelivery, with the envelope. */
export function presentDeliveryDetail(row: ListedDelivery & { envelope: Record<string, unknown> }, isStaff: boolean) {
  return { ...presentDelivery(row, isStaff), envelope: row.envelope };
}

function presentAttempt({ created_at, scheduled_job_run_id, ...attempt }: AttemptFacts, isStaff: boolean) {
  const presented = { ...attempt, created_at: iso(created_at) };
  return isStaff ? { ...presented, scheduled_job_run_id } : presented;
}
