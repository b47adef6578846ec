-- Tables whose keys are texts or of several columns are WITHOUT ROWID, which Drizzle does not know.
CREATE TABLE `company_quotas` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`named_at` integer NOT NULL,
	`max_bytes` integer,
	`max_bytes_per_user` integer,
	`used_bytes` integer DEFAULT 0 NOT NULL,
	`reserved_bytes` integer DEFAULT 0 NOT NULL,
	`object_count` integer DEFAULT 0 NOT NULL,
	`refused_at` integer,
	CONSTRAINT "company_quotas_bytes" CHECK("max_bytes" >= 0 and "used_bytes" >= 0 and "reserved_bytes" >= 0 and "object_count" >= 0)
);
--> statement-breakpoint
CREATE TABLE `quota_reservations` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`company_bytes` integer NOT NULL,
	`user_bytes` integer NOT NULL,
	`blob_key` text NOT NULL,
	`r2_upload_id` text,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `quota_reservations_expires` ON `quota_reservations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `share_links` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`company_id` integer NOT NULL,
	`object_id` text NOT NULL,
	`created_by_id` integer NOT NULL,
	`expires_at` integer,
	`max_downloads` integer,
	`download_count` integer DEFAULT 0 NOT NULL,
	`revoked_at` integer,
	`notes` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_token` ON `share_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `share_links_object` ON `share_links` (`object_id`);--> statement-breakpoint
CREATE TABLE `storage_blobs` (
	`key` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`size` integer NOT NULL,
	`refs` integer NOT NULL,
	`unreferenced_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `storage_blobs_unreferenced` ON `storage_blobs` (`unreferenced_at`) WHERE refs <= 0;--> statement-breakpoint
CREATE TABLE `storage_buckets` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`kind` text NOT NULL,
	`owner_id` integer,
	`file_size_limit` integer,
	`allowed_mime_types` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_buckets_name` ON `storage_buckets` (`company_id`,`name`);--> statement-breakpoint
CREATE TABLE `storage_objects` (
	`bucket_id` text NOT NULL,
	`name` text NOT NULL,
	`parent` text NOT NULL,
	`id` text NOT NULL,
	`company_id` integer NOT NULL,
	`owner_id` integer NOT NULL,
	`size` integer NOT NULL,
	`etag` text NOT NULL,
	`sha256` text,
	`mime_type` text NOT NULL,
	`cache_control` text,
	`metadata` text,
	`blob_key` text NOT NULL,
	`version` integer NOT NULL,
	`change_id` text NOT NULL,
	`upload_key` text,
	`last_accessed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`bucket_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_objects_id` ON `storage_objects` (`id`);--> statement-breakpoint
CREATE INDEX `storage_objects_parent` ON `storage_objects` (`bucket_id`,`parent`,`name`);--> statement-breakpoint
CREATE INDEX `storage_objects_created` ON `storage_objects` (`bucket_id`,`parent`,`created_at`,`name`);--> statement-breakpoint
CREATE INDEX `storage_objects_updated` ON `storage_objects` (`bucket_id`,`parent`,`updated_at`,`name`);--> statement-breakpoint
CREATE TABLE `storage_upload_parts` (
	`upload_id` text NOT NULL,
	`part` integer NOT NULL,
	`size` integer NOT NULL,
	`etag` text NOT NULL,
	PRIMARY KEY(`upload_id`, `part`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `storage_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`protocol` text NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`bucket_id` text NOT NULL,
	`name` text NOT NULL,
	`size` integer,
	`part_size` integer NOT NULL,
	`mime_type` text NOT NULL,
	`cache_control` text,
	`metadata` text,
	`is_upsert` integer NOT NULL,
	`blob_key` text NOT NULL,
	`r2_upload_id` text NOT NULL,
	`received` integer DEFAULT 0 NOT NULL,
	`tail_key` text,
	`tail_size` integer DEFAULT 0 NOT NULL,
	`locked_until` integer,
	`lock_token` text,
	`told_metadata` text,
	`completed_at` integer,
	`object_id` text,
	`object_version` integer,
	`etag` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `storage_uploads_expires` ON `storage_uploads` (`expires_at`);--> statement-breakpoint
CREATE TABLE `upload_hours` (
	`company_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`uploads` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`company_id`, `hour`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `user_quotas` (
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`max_bytes` integer,
	`used_bytes` integer DEFAULT 0 NOT NULL,
	`reserved_bytes` integer DEFAULT 0 NOT NULL,
	`refused_at` integer,
	PRIMARY KEY(`company_id`, `user_id`),
	CONSTRAINT "user_quotas_bytes" CHECK("max_bytes" >= 0 and "used_bytes" >= 0 and "reserved_bytes" >= 0)
) WITHOUT ROWID;
