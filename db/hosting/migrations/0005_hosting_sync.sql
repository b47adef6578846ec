CREATE TABLE `hosting_hostnames` (
	`hostname` text PRIMARY KEY NOT NULL,
	`change_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hosting_hostnames_due` ON `hosting_hostnames` (`due_at`);--> statement-breakpoint
-- The table gets another primary key. No released code writes to it.
DROP TABLE `hosting_origins`;--> statement-breakpoint
CREATE TABLE `hosting_origins` (
	`origin` text NOT NULL,
	`company_id` integer NOT NULL,
	`label` text NOT NULL,
	`is_wanted` integer NOT NULL,
	`change_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`origin`, `company_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hosting_origins_due` ON `hosting_origins` (`due_at`);--> statement-breakpoint
ALTER TABLE `hosting_deployments` ADD `notice_at` integer;--> statement-breakpoint
CREATE INDEX `hosting_deployments_failed` ON `hosting_deployments` (`company_id`,`updated_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `hosting_deployments_notice` ON `hosting_deployments` (`notice_at`) WHERE notice_at is not null;--> statement-breakpoint
ALTER TABLE `hosting_domains` ADD `unproven_since` integer;--> statement-breakpoint
CREATE INDEX `hosting_domains_company` ON `hosting_domains` (`company_id`,`state`);
