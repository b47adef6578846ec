CREATE TABLE `event_types` (
	`company_id` integer NOT NULL,
	`event_type` text NOT NULL,
	`labels` text NOT NULL,
	`description` text NOT NULL,
	`variables` text NOT NULL,
	`default_language` text NOT NULL,
	`default_template` text NOT NULL,
	`texts` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `event_type`)
);
--> statement-breakpoint
ALTER TABLE `default_contents` ADD `retired_at` integer;--> statement-breakpoint
CREATE INDEX `default_contents_retired` ON `default_contents` (`retired_at`) WHERE retired_at IS NOT NULL;