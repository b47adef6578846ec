CREATE TABLE `message_attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`files_enc` text NOT NULL,
	`file_count` integer NOT NULL,
	`check_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `message_attachments_check` ON `message_attachments` (`check_at`);--> statement-breakpoint
ALTER TABLE `messages` ADD `attachments_id` text;--> statement-breakpoint
CREATE INDEX `messages_attachments` ON `messages` (`attachments_id`) WHERE attachments_id IS NOT NULL;