import type { Tables } from "../../support/db/migrated/database.ts";

export const now = Date.UTC(2026, 10, 1);
export const day = 86_400_000;
export const id = (number: number) => `${String(number).padStart(8, "0")}-1111-4111-8111-111111111111`;

/** Returns rows of the webhook and job tables, which every service has, for company 7 and events of `type`. */
export function kitRows(type: string): Tables {
  const delivery = {
    seq: 1,
    id: id(1),
    kind: "webhook",
    company_id: 7,
    rule_id: 1,
    rule_name: "Hook",
    event_id: id(10),
    event_type: type,
    host: "hooks.example.com",
    body: '{"id":"10"}',
    status: "delivered",
    attempt_count: 2,
    claim_count: 2,
    requeue_count: 1,
    due_at: now,
    locked_until: null,
    lease_token: null,
    dispatched_at: now,
    last_error: null,
    last_error_code: null,
    delivered_at: now + 5,
    created_at: now,
    updated_at: now + 5,
  };
  const attempt = {
    id: 1,
    delivery_seq: 1,
    lease_token: id(20),
    status: "failure",
    http_status: 500,
    error_code: "http_status",
    error_message: "500",
    attempt_number: 1,
    requeue_count: 0,
    duration_ms: 12,
    trigger: "dispatch",
    scheduled_job_run_id: null,
    created_at: now + 1,
  };
  return {
    action_rules: [
      {
        id: 1,
        company_id: 7,
        name: "Hook",
        description: "to the warehouse",
        event_type: type,
        enabled: 1,
        action_kind: "webhook",
        url: "https://hooks.example.com/in",
        host: "hooks.example.com",
        secret_enc: "v1.k1.sealed",
        secret_hint: "abcd",
        previous_secret_enc: "v1.k1.former",
        previous_secret_expires_at: now + day,
        authorization_enc: "v1.k1.header",
        allow_private_urls: 0,
        last_success_at: now + 5,
        last_failure_at: now + 1,
        failing_since: now,
        health_reason: "failing_24h",
        created_at: now - day,
        updated_at: now,
      },
    ],
    action_deliveries: [
      delivery,
      // An attempt in progress, a waiting retry, a dead delivery, and a post to the email service.
      {
        ...delivery,
        seq: 2,
        id: id(2),
        event_id: id(11),
        status: "pending",
        delivered_at: null,
        locked_until: now + 60_000,
        lease_token: id(21),
      },
      { ...delivery, seq: 3, id: id(3), event_id: id(12), status: "failed", delivered_at: null, due_at: now + 30_000 },
      { ...delivery, seq: 5, id: id(5), event_id: id(12), rule_id: 2, status: "dead", last_error_code: "timeout" },
      { ...delivery, seq: 9, id: id(9), event_id: id(13), rule_id: -7, kind: "email", rule_name: "" },
    ],
    delivery_attempts: [
      attempt,
      {
        ...attempt,
        id: 2,
        lease_token: id(22),
        status: "success",
        http_status: 200,
        error_code: null,
        attempt_number: 2,
      },
      { ...attempt, id: 3, delivery_seq: 3, lease_token: id(23), trigger: "automatic_retry", scheduled_job_run_id: 1 },
    ],
    action_hosts: [{ host: "silent.example.com", consecutive_failures: 12, last_failure_at: now }],
    action_counters: [
      { company_id: 7, name: "webhook_attempts.success", value: 41 },
      { company_id: 0, name: "webhook_attempts.success", value: 99 },
    ],
    scheduled_job_runs: [
      {
        id: 1,
        job: "retry_webhooks",
        trigger: "scheduler",
        status: "failed",
        started_at: now,
        finished_at: now + 900,
        duration_ms: 900,
        counts: '{"attempted":3}',
        error_key: "internal",
        error_class: "DatabaseError",
        error_message: "the database did not answer",
        host: "worker",
        event_log_id: 3,
        lock_fence: 17,
      },
    ],
    scheduled_job_counters: [{ job: "retry_webhooks", name: "runs.failed", value: 3 }],
  };
}

/** Returns event log rows: one with an envelope, two of the same millisecond, and one without a company. */
export function eventRows(type: string): Tables[string] {
  const event = {
    id: 1,
    event_id: id(10),
    company_id: 7 as number | null,
    event_type: type,
    data: '{"status":"approved"}',
    actor: '{"kind":"session"}' as string | null,
    envelope: '{"id":"10"}' as string | null,
    created_at: now,
  };
  return [
    event,
    { ...event, id: 2, event_id: id(11), envelope: null, actor: null },
    { ...event, id: 3, event_id: id(12), company_id: null, event_type: "platform.job.failed", envelope: null },
    { ...event, id: 9, event_id: id(13), company_id: 8, created_at: now + 1 },
  ];
}
