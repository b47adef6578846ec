CREATE TABLE `complaint_breakers` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`warned_at` integer,
	`notice_at` integer,
	`complained` integer DEFAULT 0 NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`forgiven` text DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE INDEX `complaint_breakers_notice` ON `complaint_breakers` (`notice_at`) WHERE notice_at IS NOT NULL;