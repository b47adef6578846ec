// The management commands of every service as data. The Workers validate flags with this data, and the command line takes its
// options and help from it. This file imports nothing, so that Node can load it without a build.

/** A flag of a command. `name` is the name in requests, such as `batch_size`, which is `--batch-size` on the command line. */
export type FlagSpec = {
  name: string;
  kind: "integer" | "number" | "boolean" | "text" | "email" | "url" | "file";
  help: string;
  /** the only allowed values */
  choices?: readonly string[];
  /** the command line evaluates the flag and does not send it; always true for files */
  local?: true;
  /** inclusive limits for numbers */
  min?: number;
  max?: number;
  fallback?: number;
  required?: boolean;
  /** the command line takes the value as an argument instead of an option; only for required flags */
  positional?: true;
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
  /** another command of the command line calls it, so that `platform manage` does not offer it */
  internal?: true;
  /** the command processes rows, which requests send in `rows` next to `flags` */
  rows?: { max: number; maxBytes: number };
};

const email = { name: "email", kind: "email", help: "email address of the user", required: true } as const;
const noLock = { name: "no_lock", kind: "boolean", help: "run without the lock of the job" } as const;
const dryRun = { name: "dry_run", kind: "boolean", help: "count only, change and record nothing" } as const;

/** Deletes rows whose retention has ended. Every service has this command. */
const purgeExpiredData = {
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
const retryWebhooks = {
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

/** Returns the flags that define the permissions of a service key. */
function serviceKeyFlags({ required }: { required: boolean }) {
  return [
    { name: "service", kind: "text", help: "name of the service, e.g. hosting", required },
    { name: "lanes", kind: "text", help: "allowed lanes, comma-separated" },
    { name: "prefixes", kind: "text", help: "allowed prefixes of template keys, comma-separated" },
    { name: "name", kind: "text", help: "label" },
    { name: "companies", kind: "text", help: "ids of the allowed companies, comma-separated; default: all" },
  ] as const;
}

const company = { name: "company", kind: "integer", min: 1, help: "id of the company", required: true } as const;

const backup = { name: "backup", kind: "text", help: "id of the backup", required: true } as const;
const table = { name: "table", kind: "text", help: "name of the table", required: true } as const;
const onlyCompany = { name: "company", kind: "integer", min: 1, help: "only rows of this company" } as const;

/** What `platform backup` and `platform restore` call. Every service has these commands. */
const backupCommands = [
  {
    name: "describe_backup",
    help: "Describe the tables, keys and buckets of a backup; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [onlyCompany],
  },
  {
    name: "read_table",
    help: "Read a page of a table; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [table, onlyCompany, { name: "after", kind: "text", help: "key of the last row of the page before" }],
  },
  {
    name: "list_files",
    help: "List the objects of a bucket; platform backup calls it",
    access: "operator",
    internal: true,
    flags: [
      { name: "bucket", kind: "text", help: "name of the bucket's binding", required: true },
      { name: "after", kind: "text", help: "cursor of the page before" },
    ],
  },
  {
    name: "begin_restore",
    help: "Prepare an empty service for the rows of a backup; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, onlyCompany],
  },
  {
    name: "clear_table",
    help: "Delete what triggers stored in a table; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, table],
  },
  {
    name: "write_table",
    help: "Write rows of a backup; platform restore calls it",
    access: "operator",
    internal: true,
    rows: { max: 500, maxBytes: 8_388_608 },
    flags: [backup, table],
  },
  {
    name: "end_restore",
    help: "End a restore; platform restore calls it",
    access: "operator",
    internal: true,
    flags: [backup, { name: "sequences", kind: "text", help: 'highest ids as JSON: {"users": 12}', required: true }],
  },
] as const satisfies readonly CommandSpec[];

/** The files that `import_people` reads. `csv` includes the files of `export_people`. */
export const importFormats = ["auto", "csv", "auth0", "clerk", "supabase", "cognito", "firebase"] as const;
export const exportFormats = ["csv", "ndjson"] as const;

const file = (name: string, help: string) => ({ name, kind: "file", local: true, help }) as const;

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
      help: "Make a user staff and a member of only one company, and print a one-time sign-in link",
      access: "operator",
      flags: [email, company],
    },
    {
      name: "set_staff",
      help: "Remove staff status from a user",
      access: "operator",
      flags: [email, { name: "off", kind: "boolean", help: "remove the status", required: true }],
    },
    {
      name: "create_sign_in_link",
      help: "Print a one-time sign-in link; lets a staff account into the company",
      access: "operator",
      flags: [email, company],
    },
    {
      name: "import_people",
      help: "Import people from a CSV file or from the export of another sign-in service",
      access: "staff",
      rows: { max: 500, maxBytes: 1_048_576 },
      flags: [
        company,
        { ...file("file", "the file to import; .gz files are decompressed"), required: true },
        {
          name: "format",
          kind: "text",
          local: true,
          choices: importFormats,
          help: "format of the file; default: auto, which detects it",
        },
        { name: "dry_run", kind: "boolean", help: "check the rows and count the changes, change nothing" },
        { name: "allow", kind: "boolean", help: "give the people access, whatever the join rules of the company" },
        { name: "invite", kind: "boolean", help: "mail an invitation to people who do not have access yet" },
        file("rejected", "write the rows that were not imported to this file, to correct and import them"),
      ],
    },
    {
      name: "export_people",
      help: "Export the members of a company with their groups and linked provider accounts",
      access: "staff",
      flags: [
        company,
        {
          name: "format",
          kind: "text",
          local: true,
          choices: exportFormats,
          help: "format of the output; default: csv",
        },
        file("output", "write to this file; default: standard output"),
        { name: "after", kind: "integer", min: 0, fallback: 0, help: "continue after this user id" },
      ],
    },
    {
      name: "retry_mail",
      help: "Send waiting sign-in mails to the email service and expire old ones",
      access: "staff",
      flags: [dryRun, noLock],
    },
    retryWebhooks,
    requeueWebhooks,
    purgeExpiredData,
    ...backupCommands,
    {
      name: "generate_jwt_keys",
      help: "Generate a signing key pair on this machine and print both PEM values",
      access: "local",
      flags: [],
    },
  ],
  email: [
    {
      name: "create_service_key",
      help: "Create a service key and print it once",
      access: "staff",
      flags: serviceKeyFlags({ required: true }),
    },
    {
      name: "issue_service_key",
      help: "Like create_service_key, with a callback; --id sets the URL and a new secret of an existing client",
      access: "staff",
      flags: [
        { name: "id", kind: "integer", min: 1, help: "id of the service client" },
        ...serviceKeyFlags({ required: false }),
        { name: "callback_url", kind: "url", help: "https URL that receives the events of its messages" },
      ],
    },
    retryWebhooks,
    requeueWebhooks,
    {
      name: "run_email_worker",
      help: "Send due messages in this request instead of in the queue consumers",
      access: "staff",
      flags: [
        { name: "lane", kind: "text", help: "auth, transactional or bulk; default: all" },
        { name: "once", kind: "boolean", help: "only messages that are due at the start" },
        { name: "max_seconds", kind: "integer", min: 1, max: 110, fallback: 50, help: "stop after this many seconds" },
      ],
    },
    {
      name: "sweep_email_queue",
      help: "Settle expired messages and ended leases, and enqueue lost messages again",
      access: "staff",
      flags: [
        {
          name: "batch_size",
          kind: "integer",
          min: 1,
          max: 500,
          fallback: 500,
          help: "messages of one kind per pass",
        },
        dryRun,
        noLock,
      ],
    },
    {
      name: "watch",
      help: "Check all services and report the conditions that started or ended",
      access: "staff",
      flags: [{ name: "dry_run", kind: "boolean", help: "print the conditions, report and record nothing" }, noLock],
    },
    purgeExpiredData,
    {
      name: "reencrypt",
      help: "Re-encrypt stored values with the newest keys",
      access: "staff",
      flags: [
        { name: "batch_size", kind: "integer", min: 1, max: 500, fallback: 200, help: "rows per transaction" },
        {
          name: "max_seconds",
          kind: "integer",
          min: 0,
          max: 86_400,
          fallback: 0,
          help: "stop after this many seconds; 0: no limit",
        },
        { name: "after", kind: "text", help: "cursor of an earlier call that stopped early" },
        { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
      ],
    },
    ...backupCommands,
  ],
  hosting: [
    retryWebhooks,
    requeueWebhooks,
    purgeExpiredData,
    {
      name: "approve_hosting_access",
      help: "Allow a company to host apps",
      access: "staff",
      flags: [
        { name: "company_id", kind: "integer", min: 1, help: "id of the company", required: true, positional: true },
        { name: "notes", kind: "text", help: "why; shown to owners and staff" },
      ],
    },
    ...backupCommands,
  ],
  storage: [
    retryWebhooks,
    requeueWebhooks,
    purgeExpiredData,
    {
      name: "sweep_storage",
      help: "Release expired reservations and uploads, and delete bytes without an object",
      access: "staff",
      flags: [dryRun, noLock],
    },
    {
      name: "set_quota",
      help: "Set the quota of a company or of one of its users",
      access: "staff",
      flags: [
        company,
        { name: "user", kind: "integer", min: 1, help: "id of the user, for the quota of one user" },
        {
          name: "max_bytes",
          kind: "text",
          help: "bytes, or a number with K, M, G or T such as 20G; none: no limit; with --user, default: the company's value",
        },
        {
          name: "max_bytes_per_user",
          kind: "text",
          help: "the quota of each user of the company, in the same form; none: no limit",
        },
      ],
    },
    {
      name: "recount_quota",
      help: "Recalculate the usage of companies and users from the stored objects",
      access: "staff",
      flags: [
        { name: "company_id", kind: "integer", min: 1, help: "id of a company; default: all" },
        { name: "after", kind: "integer", min: 0, fallback: 0, help: "continue after this company id" },
        {
          name: "max_seconds",
          kind: "integer",
          min: 1,
          max: 86_400,
          fallback: 50,
          help: "stop after this many seconds",
        },
        { name: "dry_run", kind: "boolean", help: "count only, change nothing" },
      ],
    },
    ...backupCommands,
  ],
} as const satisfies Record<string, readonly CommandSpec[]>;

/** The numbers of processed items. If `complete` is false, the command stopped early and another request continues it. */
export type CommandCounts = Record<string, number | boolean>;

/** A line of the response. The response has the media type `application/x-ndjson`. */
export type ManagementLine =
  | { type: "start"; command: string; run_id: number | null }
  | { type: "progress"; counts: CommandCounts }
  /** output rows of the command; a response may have several such lines */
  | { type: "rows"; rows: readonly unknown[] }
  /** `next` is the value of the flag `after` for the next request */
  | { type: "result"; exit_code: 0; line: string; run_id: number | null; counts: CommandCounts; next?: string }
  /** `retry_after`: the seconds after which the request would not exceed a rate limit */
  | { type: "error"; exit_code: 1; line: string; run_id: number | null; retry_after?: number };

export type Service = keyof typeof managementCommands;

/**
 * All services in deployment order. A service binds only services before it, except that email also binds hosting and storage, and
 * identity also binds email.
 * Scripts, tests and lint rules read this list. A new service needs its folders and an entry in `managementCommands`.
 */
export const SERVICES = Object.keys(managementCommands) as Service[];
