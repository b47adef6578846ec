CREATE TABLE `deleted_newsletters` (
	`id` integer PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`deleted_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `newsletters` ADD `confirm_at` integer;--> statement-breakpoint
CREATE INDEX `newsletters_due` ON `newsletters` (`confirm_at`) WHERE confirm_at IS NOT NULL;--> statement-breakpoint
ALTER TABLE `subscribers` ADD `text_version` text;--> statement-breakpoint
CREATE INDEX `subscribers_unmailed` ON `subscribers` (`list_id`,`id`) WHERE status = 'pending' AND mailed_at IS NULL;