// The management commands of every service as data. The Workers validate flags with this data, and the command line takes its
// options and help from it. Node loads these files without a build, so their imports name the extension.

import { backupCommands } from "./management/backup-commands.ts";
import type { CommandSpec } from "./management/command-spec.ts";
import { dryRun, noLock, purgeExpiredData, requeueWebhooks, retryWebhooks } from "./management/job-commands.ts";

const email = { name: "email", kind: "email", help: "email address of the user", required: true } as const;
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
