// The management commands of every service as data. The Workers use it to validate flags; the command line uses it for its
// options and help. This file imports nothing, so that Node can load it without a build.

/** A flag of a command. `name` is the name in requests, such as `batch_size`, which is `--batch-size` on the command line. */
export type FlagSpec = {
  name: string;
  kind: "integer" | "number" | "boolean" | "text" | "email" | "url";
  help: string;
  /** inclusive limits for numbers */
  min?: number;
  max?: number;
  fallback?: number;
  required?: boolean;
};

/**
 * A command. `operator` requires the operator key. `staff` also allows a staff session and a personal access token with write
 * access. `local` commands send no request.
 */
export type CommandSpec = {
  name: string;
  help: string;
  access: "operator" | "staff" | "local";
  flags: readonly FlagSpec[];
};

const email = { name: "email", kind: "email", help: "address of the person", required: true } as const;
const noLock = { name: "no_lock", kind: "boolean", help: "run without the lock of the job" } as const;
const dryRun = { name: "dry_run", kind: "boolean", help: "count only, change and record nothing" } as const;

/** Deletes rows whose retention has ended. Every service has this command. */
const purgeExpiredData = {
  name: "purge_expired_data",
  help: "Delete rows past their retention",
  access: "staff",
  flags: [
    { name: "batch_size", kind: "integer", min: 1, max: 10_000, fallback: 2000, help: "rows of one statement" },
    { name: "max_seconds", kind: "integer", min: 0, max: 86_400, fallback: 0, help: "stop early; 0: when all is done" },
    dryRun,
    noLock,
  ],
} as const;

/** Retries webhook deliveries and requests to the email service. */
const retryWebhooks = {
  name: "retry_webhooks",
  help: "Retry webhook deliveries, and posts to the email service, that are due",
  access: "staff",
  flags: [
    { name: "batch_size", kind: "integer", min: 1, max: 500, fallback: 50, help: "deliveries of one claim" },
    { name: "max_seconds", kind: "number", min: 0.1, max: 110, fallback: 50, help: "stop early" },
    // The default is the setting ACTIONS_WEBHOOK_DISPATCH_WORKERS of the service.
    { name: "concurrency", kind: "integer", min: 1, max: 6, help: "parallel attempts" },
    dryRun,
    noLock,
  ],
} as const;

/** Requeues deliveries of a subscription, or events of its type that have no delivery. */
export const requeueWebhooks = {
  name: "requeue_webhooks",
  help: "Send deliveries of a webhook rule again, or events that it has none of",
  access: "staff",
  flags: [
    { name: "rule", kind: "integer", min: 1, help: "id of the rule", required: true },
    { name: "status", kind: "text", help: "dead (else), failed, all, or missing: events that have no delivery of it" },
    { name: "since", kind: "text", help: "ISO 8601 time with offset, inclusive; else 7 days ago" },
    { name: "until", kind: "text", help: "ISO 8601 time with offset, exclusive" },
    { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
  ],
} as const;

/** Returns the flags that define the permissions of a service key. */
function serviceKeyFlags({ required }: { required: boolean }) {
  return [
    { name: "service", kind: "text", help: "name of the service, e.g. hosting", required },
    { name: "lanes", kind: "text", help: "lanes it may use, comma separated" },
    { name: "prefixes", kind: "text", help: "beginnings of the template keys it may use, comma separated" },
    { name: "name", kind: "text", help: "label" },
    { name: "companies", kind: "text", help: "companies it may write for, comma separated; all without it" },
  ] as const;
}

const company = { name: "company", kind: "integer", min: 1, help: "id of the company", required: true } as const;

/** The commands by service. */
export const managementCommands = {
  identity: [
    {
      name: "create_company",
      help: "Create a company with its owner and print a one-time sign-in link for them",
      access: "operator",
      flags: [
        { name: "name", kind: "text", help: "name of the company", required: true },
        { name: "owner_email", kind: "email", help: "address of the owner", required: true },
        {
          name: "redirect_origin",
          kind: "url",
          help: "origin of the application, e.g. https://app.example.com",
          required: true,
        },
      ],
    },
    {
      name: "create_staff",
      help: "Make a person staff and a member of one company only, and print a one-time sign-in link",
      access: "operator",
      flags: [email, company],
    },
    {
      name: "set_staff",
      help: "Take staff status from a person",
      access: "operator",
      flags: [email, { name: "off", kind: "boolean", help: "take the status away", required: true }],
    },
    {
      name: "create_sign_in_link",
      help: "Print a one-time sign-in link; lets a staff account into the company",
      access: "operator",
      flags: [email, company],
    },
    {
      name: "retry_mail",
      help: "Hand waiting sign-in mails to the email service, and end those past their life",
      access: "staff",
      flags: [dryRun, noLock],
    },
    retryWebhooks,
    requeueWebhooks,
    purgeExpiredData,
    {
      name: "generate_jwt_keys",
      help: "Make a signing key pair on this machine and print both PEM values",
      access: "local",
      flags: [],
    },
  ],
  email: [
    {
      name: "create_service_key",
      help: "Make a service key and print it once",
      access: "staff",
      flags: serviceKeyFlags({ required: true }),
    },
    {
      name: "issue_service_key",
      help: "As create_service_key, with a callback; with --id, set URL and a new secret of an existing one",
      access: "staff",
      flags: [
        { name: "id", kind: "integer", min: 1, help: "service client whose callback is set" },
        ...serviceKeyFlags({ required: false }),
        { name: "callback_url", kind: "url", help: "where events of its messages go, https" },
      ],
    },
    retryWebhooks,
    requeueWebhooks,
    {
      name: "run_email_worker",
      help: "Send what is due in this call; the queues do it by themselves",
      access: "staff",
      flags: [
        { name: "lane", kind: "text", help: "auth, transactional or bulk; all without it" },
        { name: "once", kind: "boolean", help: "only what is due at the start" },
        { name: "max_seconds", kind: "integer", min: 1, max: 110, fallback: 50, help: "stop early" },
      ],
    },
    {
      name: "sweep_email_queue",
      help: "End lives and leases that are over, and ring for messages that nobody came for",
      access: "staff",
      flags: [
        {
          name: "batch_size",
          kind: "integer",
          min: 1,
          max: 500,
          fallback: 500,
          help: "messages of one kind in a pass",
        },
        dryRun,
        noLock,
      ],
    },
    purgeExpiredData,
    {
      name: "reencrypt",
      help: "Seal stored values again with the newest keys",
      access: "staff",
      flags: [
        { name: "batch_size", kind: "integer", min: 1, max: 500, fallback: 200, help: "rows of one change" },
        {
          name: "max_seconds",
          kind: "integer",
          min: 0,
          max: 86_400,
          fallback: 0,
          help: "stop early; 0: when all is done",
        },
        { name: "after", kind: "text", help: "go on where a call that stopped early says that it stopped" },
        { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
      ],
    },
  ],
  hosting: [retryWebhooks, requeueWebhooks, purgeExpiredData],
  storage: [
    retryWebhooks,
    requeueWebhooks,
    purgeExpiredData,
    {
      name: "sweep_storage",
      help: "Release reservations and uploads that are over, and remove bytes that no object has",
      access: "staff",
      flags: [dryRun, noLock],
    },
    {
      name: "set_quota",
      help: "Set what a company, or one of its users, may store",
      access: "staff",
      flags: [
        company,
        { name: "user", kind: "integer", min: 1, help: "id of a user: the quota is theirs" },
        {
          name: "max_bytes",
          kind: "text",
          help: "a whole number of bytes, or of K, M, G or T as in 20G; none: no limit; with --user also default: the company's",
        },
        { name: "max_bytes_per_user", kind: "text", help: "the same, of each user of the company; none: no limit" },
      ],
    },
    {
      name: "recount_quota",
      help: "Set what companies and their users use by the objects that are there",
      access: "staff",
      flags: [
        { name: "company_id", kind: "integer", min: 1, help: "id of one company; all without it" },
        { name: "after", kind: "integer", min: 0, fallback: 0, help: "continue after this company id" },
        { name: "max_seconds", kind: "integer", min: 1, max: 86_400, fallback: 50, help: "stop early" },
        { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
      ],
    },
  ],
} as const satisfies Record<string, readonly CommandSpec[]>;

/** The numbers of processed items. `complete` false: the command stopped early, and another request continues. */
export type CommandCounts = Record<string, number | boolean>;

/** A line of the response. The response has the media type `application/x-ndjson`. */
export type ManagementLine =
  | { type: "start"; command: string; run_id: number | null }
  | { type: "progress"; counts: CommandCounts }
  /** `next` is the flag `after` for the next request */
  | { type: "result"; exit_code: 0; line: string; run_id: number | null; counts: CommandCounts; next?: string }
  | { type: "error"; exit_code: 1; line: string; run_id: number | null };

export type Service = keyof typeof managementCommands;

/**
 * All services in deployment order. A service binds only services before it, except that identity and email bind each other.
 * Scripts, tests and lint rules read this list. A new service needs its folders and an entry in `managementCommands`.
 */
export const SERVICES = Object.keys(managementCommands) as Service[];
