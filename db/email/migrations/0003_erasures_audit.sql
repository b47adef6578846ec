CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_user_id` integer,
	`company_id` integer NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`changes` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_company` ON `audit_log` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_at` ON `audit_log` (`at`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`hashes` text NOT NULL,
	`requested_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasures_requested` ON `erasures` (`requested_at`);--> statement-breakpoint
CREATE INDEX `erasures_company` ON `erasures` (`company_id`);--> statement-breakpoint
CREATE INDEX `unsubscribes_company` ON `unsubscribes` (`company_id`,`id`);