ALTER TABLE `storage_objects` ADD `content_encoding` text;--> statement-breakpoint
CREATE INDEX `storage_uploads_bucket` ON `storage_uploads` (`bucket_id`) WHERE completed_at is null;