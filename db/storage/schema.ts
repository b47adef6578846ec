import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
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

// Column names equal the property names. Booleans are 0 and 1, JSON is text, times are integer unix milliseconds, and
// sizes are bytes.

/** Event types that are written for each object or each minute. The index of types omits them. */
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

/** One row per bucket. The bucket of the kind `company` is created on first use and never deleted. */
export const storage_buckets = sqliteTable(
  "storage_buckets",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    name: text().notNull(),
    display_name: text().notNull(),
    kind: text({ enum: ["company", "custom"] }).notNull(),
    /** the user who created the bucket; null for `company` */
    owner_id: integer(),
    /** maximum size of one object; when null, only MAX_UPLOAD_BYTES applies */
    file_size_limit: integer(),
    /** for example `image/png` and `image/*`; null allows every type */
    allowed_mime_types: text({ mode: "json" }).$type<string[]>(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("storage_buckets_name").on(t.company_id, t.name)],
);

/**
 * One row per object with its current version, WITHOUT ROWID. Previous versions have no row; their blobs are kept for a
 * while. Names are paths without outer slashes. `parent` is the folder with U+0001 after each segment instead of
 * slashes (empty at the top level), so that folders sort by name.
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
    /** without quotes; the MD5 in hex, or an opaque string that ends in `-{parts}` */
    etag: text().notNull(),
    /** in hex; null unless the client sent a checksum, which was verified */
    sha256: text(),
    mime_type: text().notNull(),
    cache_control: text(),
    /** encoding of the stored bytes, or null */
    content_encoding: text(),
    /** custom metadata */
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    blob_key: text().notNull(),
    version: integer().notNull(),
    /** id of the upload, copy or move that wrote this version; a repeated commit recognizes its row by this id */
    change_id: text().notNull(),
    /** hash of the user and the `Idempotency-Key` of the upload */
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

/**
 * One row per R2 object that is or was the content of an object, WITHOUT ROWID. `refs` is -1 while the sweep deletes
 * the R2 object.
 */
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

/**
 * Multipart and resumable uploads, WITHOUT ROWID. A completed upload remains until it expires, so that a repeated
 * completion returns its result.
 */
export const storage_uploads = sqliteTable(
  "storage_uploads",
  {
    id: text().primaryKey(),
    protocol: text({ enum: ["multipart", "tus"] }).notNull(),
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    bucket_id: text().notNull(),
    name: text().notNull(),
    /** null while the length is deferred (TUS) */
    size: integer(),
    part_size: integer().notNull(),
    mime_type: text().notNull(),
    cache_control: text(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>(),
    is_upsert: integer({ mode: "boolean" }).notNull(),
    /** key of the blob; the reservation has the same id and blob key as the upload */
    blob_key: text().notNull(),
    r2_upload_id: text().notNull(),
    /** durably stored bytes of a TUS upload */
    received: integer().notNull().default(0),
    /** R2 object with the last received bytes, which do not fill a part yet */
    tail_key: text(),
    tail_size: integer().notNull().default(0),
    /** lease that allows only one PATCH at a time */
    locked_until: integer(),
    lock_token: text(),
    /** `Upload-Metadata` of a TUS upload, exactly as received */
    told_metadata: text(),
    /** `completed_at` to `etag`: the result that a repeated completion returns; null until the object exists */
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

/** Stored parts of uploads, WITHOUT ROWID. A part that is uploaded again replaces its row. */
export const storage_upload_parts = sqliteTable(
  "storage_upload_parts",
  { upload_id: text().notNull(), part: integer().notNull(), size: integer().notNull(), etag: text().notNull() },
  (t) => [primaryKey({ columns: [t.upload_id, t.part] })],
);

/** One row per company, created on first use: limits, usage, and the names for the company's events. */
export const company_quotas = sqliteTable(
  "company_quotas",
  {
    company_id: integer().primaryKey(),
    /** slug and name from identity at `named_at` */
    slug: text().notNull(),
    name: text().notNull(),
    named_at: integer().notNull(),
    /** null when there is no limit */
    max_bytes: integer(),
    /** default limit of a user; null when there is none */
    max_bytes_per_user: integer(),
    used_bytes: integer().notNull().default(0),
    reserved_bytes: integer().notNull().default(0),
    object_count: integer().notNull().default(0),
    /** time of the last event that reported a rejected upload */
    refused_at: integer(),
    /** the threshold in percent of a notice to the owners, and when it was reached; null once identity has accepted the notice */
    notice_threshold: integer(),
    notice_at: integer(),
  },
  (t) => [
    index("company_quotas_notice").on(t.notice_at).where(sql`notice_at IS NOT NULL`),
    areNotNegative("company_quotas_bytes", t.max_bytes, t.used_bytes, t.reserved_bytes, t.object_count),
    // For the overview of all companies. Uploads write it only for companies that use more than 90 % of their quota.
    index("company_quotas_nearly_full").on(t.company_id).where(sql`max_bytes > 0 AND used_bytes * 10 > max_bytes * 9`),
  ],
);

/** Returns the condition that a quota is used by more than 90 %, as written in the index of companies. */
export const isNearlyFull = (maxBytes: SQLWrapper, usedBytes: SQLWrapper): SQL =>
  sql`${maxBytes} > 0 and ${usedBytes} * 10 > ${maxBytes} * 9`;

/** One row per user with stored objects in a company, WITHOUT ROWID. */
export const user_quotas = sqliteTable(
  "user_quotas",
  {
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    /** null when the company's default applies; 0 when this user has no limit */
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

/**
 * Bytes that running uploads reserve, WITHOUT ROWID. When a reservation ends without a commit, the sweep deletes its R2
 * content.
 */
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

/** Share links, which allow anyone to download an object. */
export const share_links = sqliteTable(
  "share_links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the token, in hex */
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

/** Uploads of a company per hour (unix hours), WITHOUT ROWID. Rows are kept for 31 days. */
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
