// Commands that every service has.

export const noLock = { name: "no_lock", kind: "boolean", help: "run without the lock of the job" } as const;
export const dryRun = { name: "dry_run", kind: "boolean", help: "count only, change and record nothing" } as const;

/** Deletes rows whose retention has ended. Every service has this command. */
export const purgeExpiredData = {
  name: "purge_expired_data",
  help: "Delete rows past their retention",
  access: "staff",
  flags: [
    { name: "batch_size", kind: "integer", min: 1, max: 10_000, fallback: 2000, help: "rows per statement" },
    {
      name: "max_seconds",
      kind: "integer",
      min: 0,
      max: 86_400,
      fallback: 0,
      help: "stop after this many seconds; 0: no limit",
    },
    dryRun,
    noLock,
  ],
} as const;

/** Retries webhook deliveries and requests to the email service. */
export const retryWebhooks = {
  name: "retry_webhooks",
  help: "Retry due webhook deliveries and due requests to the email service",
  access: "staff",
  flags: [
    { name: "batch_size", kind: "integer", min: 1, max: 500, fallback: 50, help: "deliveries per claim" },
    { name: "max_seconds", kind: "number", min: 0.1, max: 110, fallback: 50, help: "stop after this many seconds" },
    // The default is the setting ACTIONS_WEBHOOK_DISPATCH_WORKERS of the service.
    { name: "concurrency", kind: "integer", min: 1, max: 6, help: "parallel attempts" },
    dryRun,
    noLock,
  ],
} as const;

/** Requeues deliveries of a subscription, or events of its type that have no delivery. */
export const requeueWebhooks = {
  name: "requeue_webhooks",
  help: "Send deliveries of a webhook rule again, or events without a delivery",
  access: "staff",
  flags: [
    { name: "rule", kind: "integer", min: 1, help: "id of the rule", required: true },
    {
      name: "status",
      kind: "text",
      help: "dead (default), failed, all, or missing: events without a delivery for the rule",
    },
    { name: "since", kind: "text", help: "ISO 8601 time with offset, inclusive; default: 7 days ago" },
    { name: "until", kind: "text", help: "ISO 8601 time with offset, exclusive" },
    { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
  ],
} as const;
