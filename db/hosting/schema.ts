import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { auditTable } from "../kit/audit";
import { jobTables } from "../kit/jobs";
import { eventLogTable, webhookTables } from "../kit/webhooks";

// Column names equal the property names. Booleans are 0 and 1, JSON is text, and times are integer unix milliseconds.

/** Event types that are written each minute. The index of types omits them. */
export const frequentTypes = ["hosting.scheduled_job.succeeded"];

export const event_log = eventLogTable(frequentTypes);

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } = webhookTables();

export const audit_log = auditTable();

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();

/**
 * Apps, one row each. A preview has `expires_at`. `name` is unique in the company, `slug` in all of them. The origin of an app is
 * `{slug}.{HOSTING_APP_DOMAIN}`.
 */
export const hosting_apps = sqliteTable(
  "hosting_apps",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    name: text().notNull(),
    slug: text().notNull(),
    display_name: text().notNull(),
    /** the user who created the app */
    owner_id: integer().notNull(),
    /** when a preview ends; null for an app that is not a preview */
    expires_at: integer(),
    /** everyone may open the addresses of single deployments; otherwise only members with a visit */
    public_deployments: integer({ mode: "boolean" }).notNull().default(false),
    /** the live deployment, or null */
    current_deployment_id: text(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("hosting_apps_name").on(t.company_id, t.name),
    uniqueIndex("hosting_apps_slug").on(t.slug),
    index("hosting_apps_company").on(t.company_id, t.created_at, t.id),
    index("hosting_apps_expiry").on(t.expires_at).where(sql`expires_at is not null`),
  ],
);

/**
 * Deployments of apps. Their files are in the manifest in R2. `status`: docs/specification/hosting.md. A deployment that is or was
 * live has `live_from`; `live_until` is null while it is live.
 */
export const hosting_deployments = sqliteTable(
  "hosting_deployments",
  {
    id: text().primaryKey(),
    app_id: text().notNull(),
    company_id: integer().notNull(),
    /** the first 8 characters of the id, a random UUID, for the host `{slug}--{address}` */
    address: text().notNull(),
    app_version: text().notNull(),
    shell_version: text().notNull(),
    status: text({
      enum: ["draft", "uploading", "ready", "extracting", "active", "superseded", "failed"],
    }).notNull(),
    pinned: integer({ mode: "boolean" }).notNull(),
    message: text().notNull(),
    not_found: text({ enum: ["spa", "page", "none"] }).notNull(),
    deployed_by_id: integer().notNull(),
    /** bytes of the uploaded archive, or null for a deployment by manifest */
    artifact_size: integer(),
    /** numbers of the manifest; null before it exists */
    file_count: integer(),
    total_bytes: integer(),
    /** bytes of the files that the company did not have before */
    bytes_new: integer(),
    /** code of the reason why the deployment failed, or null */
    error: text(),
    /** what was not understood in `_headers` and `_redirects` */
    warnings: text({ mode: "json" }).$type<{ file: string; line: number; text: string; reason: string }[]>().notNull(),
    /**
     * lease of the import of an archive, number of its files that were stored, and when its next step is due; of a deployment that
     * is or was live: when its compressed variants are requested again, null once it has all of them
     */
    lease_token: text(),
    lease_until: integer(),
    files_done: integer().notNull().default(0),
    next_step_at: integer(),
    live_from: integer(),
    live_until: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
    finalized_at: integer(),
    /** when the deployment failed, until identity has accepted the notice to the owners of the company */
    notice_at: integer(),
  },
  (t) => [
    index("hosting_deployments_app").on(t.app_id, t.created_at, t.id),
    uniqueIndex("hosting_deployments_address").on(t.app_id, t.address),
    index("hosting_deployments_company").on(t.company_id, t.id),
    index("hosting_deployments_due").on(t.next_step_at).where(sql`next_step_at is not null`),
    index("hosting_deployments_lived").on(t.app_id, t.live_until).where(sql`live_until is not null`),
    index("hosting_deployments_failed").on(t.company_id, t.updated_at).where(sql`status = 'failed'`),
    index("hosting_deployments_notice").on(t.notice_at).where(sql`notice_at is not null`),
  ],
);

/**
 * Files of a company by the SHA-256 of their bytes, WITHOUT ROWID. The row is inserted before the R2 object is written;
 * `stored_at` is null until then. Clean-up sets `removed_at` before it deletes the R2 object and then the row.
 */
export const hosting_blobs = sqliteTable(
  "hosting_blobs",
  {
    company_id: integer().notNull(),
    /** 64 lower-case hex digits */
    sha256: text().notNull(),
    size: integer().notNull(),
    /** the last time a deployment named the blob, at most 12 hours old */
    touched_at: integer().notNull(),
    stored_at: integer(),
    removed_at: integer(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.sha256] })],
);

/** Decisions of staff whether a company may host apps. A company without a row has not asked. */
export const hosting_access = sqliteTable(
  "hosting_access",
  {
    company_id: integer().primaryKey(),
    status: text({ enum: ["pending", "approved", "denied"] }).notNull(),
    requested_at: integer(),
    requested_by_id: integer(),
    reviewed_at: integer(),
    reviewed_by_id: integer(),
    notes: text().notNull(),
  },
  (t) => [index("hosting_access_status").on(t.status, t.company_id)],
);

/** Companies whose files wait for a clean-up, with its time and its position (the last blob of the previous step). */
export const hosting_cleanups = sqliteTable(
  "hosting_cleanups",
  {
    company_id: integer().primaryKey(),
    due_at: integer().notNull(),
    position: text().notNull(),
    lease_token: text(),
    lease_until: integer(),
  },
  (t) => [index("hosting_cleanups_due").on(t.due_at)],
);

/**
 * Changes of the company's redirect allowlist that identity has not confirmed yet, WITHOUT ROWID. The batch that creates, deploys or
 * deletes an app writes the row; the confirmation deletes it.
 */
export const hosting_origins = sqliteTable(
  "hosting_origins",
  {
    origin: text().notNull(),
    company_id: integer().notNull(),
    label: text().notNull(),
    is_wanted: integer({ mode: "boolean" }).notNull(),
    /** identifies this change, so that the confirmation of an earlier one does not delete it */
    change_id: text().notNull(),
    attempts: integer().notNull().default(0),
    due_at: integer().notNull(),
    /** one call at a time may send the state of an origin, so that an earlier state never arrives after a later one */
    lease_until: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.origin, t.company_id] }), index("hosting_origins_due").on(t.due_at)],
);

/**
 * Host names whose registration at the provider of their certificates may differ from `hosting_domains`, WITHOUT ROWID. The batch
 * that verifies or removes a domain writes the row; the confirmation deletes it.
 */
export const hosting_hostnames = sqliteTable(
  "hosting_hostnames",
  {
    hostname: text().primaryKey(),
    /** identifies this change, so that the confirmation of an earlier one does not delete it */
    change_id: text().notNull(),
    attempts: integer().notNull().default(0),
    due_at: integer().notNull(),
    lease_until: integer().notNull().default(0),
  },
  (t) => [index("hosting_hostnames_due").on(t.due_at)],
);

/**
 * Visits of members to the address of a single deployment, WITHOUT ROWID. The link with the token works once: opening it sets
 * `session_hash`, the hash of the cookie of that host.
 */
export const hosting_visits = sqliteTable(
  "hosting_visits",
  {
    token_hash: text().primaryKey(),
    deployment_id: text().notNull(),
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    session_hash: text(),
    expires_at: integer().notNull(),
  },
  (t) => [
    uniqueIndex("hosting_visits_session").on(t.session_hash).where(sql`session_hash is not null`),
    index("hosting_visits_expiry").on(t.expires_at),
  ],
);

/** Host names of companies that serve an app, WITHOUT ROWID. Only a verified host name is served. */
export const hosting_domains = sqliteTable(
  "hosting_domains",
  {
    hostname: text().notNull(),
    app_id: text().notNull(),
    id: text().notNull(),
    company_id: integer().notNull(),
    /** the value of the TXT record that proves the domain */
    token: text().notNull(),
    state: text({ enum: ["pending", "verified", "failed"] }).notNull(),
    error: text(),
    /** id of the custom hostname at Cloudflare, or null */
    provider_id: text(),
    checked_at: integer(),
    next_check_at: integer(),
    verified_at: integer(),
    /** since when the TXT record is missing; null while the domain is proven */
    unproven_since: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.app_id, t.hostname] }),
    uniqueIndex("hosting_domains_id").on(t.id),
    uniqueIndex("hosting_domains_verified").on(t.hostname).where(sql`state = 'verified'`),
    index("hosting_domains_company").on(t.company_id, t.state),
    index("hosting_domains_due").on(t.next_check_at).where(sql`next_check_at is not null`),
  ],
);

export type AppRow = typeof hosting_apps.$inferSelect;
export type DeploymentRow = typeof hosting_deployments.$inferSelect;
export type BlobRow = typeof hosting_blobs.$inferSelect;
export type DomainRow = typeof hosting_domains.$inferSelect;
export type AccessRow = typeof hosting_access.$inferSelect;
