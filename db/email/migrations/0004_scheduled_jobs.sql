CREATE TABLE `event_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`company_id` integer,
	`event_type` text NOT NULL,
	`user_id` integer,
	`actor_email` text,
	`data` text NOT NULL,
	`actor` text,
	`envelope` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_log_event_id_unique` ON `event_log` (`event_id`);--> statement-breakpoint
CREATE INDEX `event_log_created` ON `event_log` (`created_at`);--> statement-breakpoint
CREATE INDEX `event_log_company` ON `event_log` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `event_log_type` ON `event_log` (`company_id`,`event_type`,`created_at`);--> statement-breakpoint
CREATE TABLE `scheduled_job_counters` (
	`job` text NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job`, `name`)
);
--> statement-breakpoint
CREATE TABLE `scheduled_job_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`job` text NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`duration_ms` integer,
	`counts` text DEFAULT '{}' NOT NULL,
	`error_key` text,
	`error_class` text,
	`error_message` text,
	`host` text NOT NULL,
	`event_log_id` integer,
	`lock_fence` integer
);
--> statement-breakpoint
CREATE INDEX `scheduled_job_runs_job` ON `scheduled_job_runs` (`job`,`started_at`);--> statement-breakpoint
CREATE INDEX `scheduled_job_runs_started` ON `scheduled_job_runs` (`started_at`);--> statement-breakpoint
CREATE INDEX `scheduled_job_runs_running` ON `scheduled_job_runs` (`job`,`started_at`) WHERE status = 'running';--> statement-breakpoint
CREATE TABLE `scheduled_job_states` (
	`job` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`last_started_at` integer,
	`last_success_at` integer,
	`last_failure_at` integer,
	`last_skipped_at` integer,
	`last_duration_ms` integer,
	`fence` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
INSERT INTO scheduled_job_states (job, created_at)
SELECT value, CAST(unixepoch('subsec') * 1000 AS INTEGER)
FROM json_each('["retry_webhooks","sweep_email_queue","purge_expired_data"]');
