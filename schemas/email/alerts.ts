/**
 * The conditions that the job `watch` reports for each service: it does not respond, its scheduler stopped, or one of its jobs
 * fails or is overdue.
 */
export const SERVICE_CONDITIONS = ["unreachable", "scheduler_stopped", "job_failing"] as const;

/**
 * The counts of overviews that the job `watch` compares, and from which count on it reports each; 0 means never. `WATCH_THRESHOLDS`
 * changes them.
 */
export const DEFAULT_THRESHOLDS = {
  webhooks_failing: 10,
  deliveries_dead: 100,
  stale_events: 1,
  sign_ins_refused: 100,
  join_requests_pending: 0,
  mails_refused: 10,
  invitation_mails_failed: 10,
  directory_changes_rejected: 0,
  lanes_paused: 1,
  messages_waiting: 100,
  messages_failed: 50,
  broadcasts_failed: 1,
  company_quotas_nearly_full: 0,
  access_requests_pending: 0,
  deployments_failed: 10,
  previews_expiring: 0,
  domains_failed: 10,
} as const satisfies Record<string, number>;

/** A count of an overview that can become a condition. */
export type CountedCode = keyof typeof DEFAULT_THRESHOLDS;

/** The code of a condition. */
export type AlertCode = (typeof SERVICE_CONDITIONS)[number] | CountedCode;

/** Returns whether a count of an overview can become a condition. */
export const isCountedCode = (code: string): code is CountedCode => Object.hasOwn(DEFAULT_THRESHOLDS, code);
