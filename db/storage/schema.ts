import { type SQL, sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { auditTable } from "../kit/audit";
import { jobTables } from "../kit/jobs";
import { eventLogTable, webhookTables } from "../kit/webhooks";

// Column names are the keys, booleans are 0/1, JSON is text, times are integer unix milliseconds, sizes are bytes.

/** Event types written for each object; the index of event types leaves them out. */
export const frequentTypes = [
  "storage.scheduled_job.succeeded",
  "storage.object.uploaded",
  "storage.object.deleted",
  "storage.object.moved",
];

export const event_log = eventLogTable(frequentTypes);

export const { action_rules, action_deliveries, delivery_attempts, action_hosts, action_counters } = webhookTables();

export const audit_log = auditTable();

export const { scheduled_job_runs, scheduled_job_states, scheduled_job_counters } = jobTables();

const areNotNegative = (name: string, ...columns: AnySQLiteColumn[]) => {
  const terms = columns.map((column): SQL => sql`${sql.identifier(column.name)} >= 0`);
  return check(name, sql.join(terms, sql` and `));
};

/** One row per bucket. `company` is created on first use and never removed. */
export const storage_buckets = sqliteTable(
  "storage_buckets",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    name: text().notNull(),
    display_name: text().notNull(),
    kind: text({ enum: ["company", "custom"] }).notNull(),
    /** creator; null for `company` */
    owner_id: integer(),
    /** maximum bytes of one object; null: only MAX_UPLOAD_BYTES applies */
    file_size_limit: integer(),
    /** `image/png`, `image/*`; null: every type */
    allowed_mime_types: text({ mode: "json" }).$type<string[]>(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("storage_buckets_name").on(t.company_id, t.name)],
);

/**
 * One row per object, WITHOUT ROWID: the current version. Previous versions have no row; their blobs are kept for a while.
 * Names are paths without outer slashes. `parent` is the folder with U+0001 after each segment instead of slashes (empty at the
 * top), so that folders sort by name.
 */
export const storage_objects = sqliteTable(
  "storage_objects",
  {
    bucket_id: text().notNull(),
    name: text().notNull(),
    parent: text().notNull(),
    id: text().notNull(),
    company_id: integer().notNull(),
    owner_id: integer().notNull(),
    size: integer().notNull(),
    /** without quotes: MD5 in hex, or an opaque string that ends in `-{parts}` */
    etag: text().notNull(),
    /** hex; null unless the client sent one, which was checked */
    sha256: text(),
    mime_type: text().notNull(),
    cache_control: text(),
    /** coding of the stored bytes; null: none */
    content_encoding: text(),
    /** custom metadata */
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    blob_key: text().notNull(),
    version: integer().notNull(),
    /** id of the upload, copy or move that wrote this version; a repeated commit recognizes itself by it */
    change_id: text().notNull(),
    /** hash of user and Idempotency-Key of that upload */
    upload_key: text(),
    last_accessed_at: integer(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.bucket_id, t.name] }),
    uniqueIndex("storage_objects_id").on(t.id),
    index("storage_objects_parent").on(t.bucket_id, t.parent, t.name),
    index("storage_objects_created").on(t.bucket_id, t.parent, t.created_at, t.name),
    index("storage_objects_updated").on(t.bucket_id, t.parent, t.updated_at, t.name),
  ],
);

/** One row per R2 object that is or was the content of an object, WITHOUT ROWID. `refs` -1: the sweep is removing it. */
export const storage_blobs = sqliteTable(
  "storage_blobs",
  {
    key: text().primaryKey(),
    company_id: integer().notNull(),
    size: integer().notNull(),
    refs: integer().notNull(),
    unreferenced_at: integer(),
  },
  (t) => [index("storage_blobs_unreferenced").on(t.unreferenced_at).where(sql`refs <= 0`)],
);

/** Multipart and resumable uploads, WITHOUT ROWID; a completed one stays until it expires, so that repeats return its result. */
export const storage_uploads = sqliteTable(
  "storage_uploads",
  {
    id: text().primaryKey(),
    protocol: text({ enum: ["multipart", "tus"] }).notNull(),
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    bucket_id: text().notNull(),
    name: text().notNull(),
    /** null: deferred length (TUS) */
    size: integer(),
    part_size: integer().notNull(),
    mime_type: text().notNull(),
    cache_control: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    is_upsert: integer({ mode: "boolean" }).notNull(),
    /** the reservation has the same id and this key */
    blob_key: text().notNull(),
    r2_upload_id: text().notNull(),
    /** durably stored bytes of a TUS upload */
    received: integer().notNull().default(0),
    /** R2 object with the last received bytes, which do not fill a part */
    tail_key: text(),
    tail_size: integer().notNull().default(0),
    /** lease that admits one PATCH at a time */
    locked_until: integer(),
    lock_token: text(),
    /** `Upload-Metadata` of a TUS upload, unchanged */
    told_metadata: text(),
    /** result that a repeated completion returns; null until the object exists */
    completed_at: integer(),
    object_id: text(),
    object_version: integer(),
    etag: text(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
  },
  (t) => [
    index("storage_uploads_expires").on(t.expires_at),
    index("storage_uploads_bucket").on(t.bucket_id).where(sql`completed_at is null`),
  ],
);

/** Stored parts of uploads, WITHOUT ROWID; a part that is sent again replaces its row. */
export const storage_upload_parts = sqliteTable(
  "storage_upload_parts",
  { upload_id: text().notNull(), part: integer().notNull(), size: integer().notNull(), etag: text().notNull() },
  (t) => [primaryKey({ columns: [t.upload_id, t.part] })],
);

/** One row per company, created on first use: caps, usage, and the names for its events. */
export const company_quotas = sqliteTable(
  "company_quotas",
  {
    company_id: integer().primaryKey(),
    /** names from identity at `named_at` */
    slug: text().notNull(),
    name: text().notNull(),
    named_at: integer().notNull(),
    /** null: no limit */
    max_bytes: integer(),
    /** default cap of a user; null: none */
    max_bytes_per_user: integer(),
    used_bytes: integer().notNull().default(0),
    reserved_bytes: integer().notNull().default(0),
    object_count: integer().notNull().default(0),
    /** time of the last event about a rejection */
    refused_at: integer(),
  },
  (t) => [areNotNegative("company_quotas_bytes", t.max_bytes, t.used_bytes, t.reserved_bytes, t.object_count)],
);

/** One row per user who stores in a company, WITHOUT ROWID. */
export const user_quotas = sqliteTable(
  "user_quotas",
  {
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    /** null: the company's default applies; 0: no limit for this user */
    max_bytes: integer(),
    used_bytes: integer().notNull().default(0),
    reserved_bytes: integer().notNull().default(0),
    refused_at: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.user_id] }),
    areNotNegative("user_quotas_bytes", t.max_bytes, t.used_bytes, t.reserved_bytes),
  ],
);

/** Bytes reserved by running uploads, WITHOUT ROWID; a reservation that ends without a commit hands its R2 content to the sweep. */
export const quota_reservations = sqliteTable(
  "quota_reservations",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    company_bytes: integer().notNull(),
    user_bytes: integer().notNull(),
    blob_key: text().notNull(),
    r2_upload_id: text(),
    expires_at: integer().notNull(),
  },
  (t) => [index("quota_reservations_expires").on(t.expires_at)],
);

/** Share links, with which anyone can download an object. */
export const share_links = sqliteTable(
  "share_links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the token, hex */
    token_hash: text().notNull(),
    company_id: integer().notNull(),
    object_id: text().notNull(),
    created_by_id: integer().notNull(),
    expires_at: integer(),
    max_downloads: integer(),
    download_count: integer().notNull().default(0),
    revoked_at: integer(),
    notes: text(),
    created_at: integer().notNull(),
  },
  (t) => [uniqueIndex("share_links_token").on(t.token_hash), index("share_links_object").on(t.object_id)],
);

/** Uploads of a company in an hour (unix hours), WITHOUT ROWID; kept for 31 days. */
export const upload_hours = sqliteTable(
  "upload_hours",
  {
    company_id: integer().notNull(),
    hour: integer().notNull(),
    uploads: integer().notNull(),
    bytes: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.hour] })],
);

export type BucketRow = typeof storage_buckets.$inferSelect;
export type ObjectRow = typeof storage_objects.$inferSelect;
export type UploadRow = typeof storage_uploads.$inferSelect;
export type CompanyQuotaRow = typeof company_quotas.$inferSelect;
export type UserQuotaRow = typeof user_quotas.$inferSelect;
export type ShareLinkRow = typeof share_links.$inferSelect;
