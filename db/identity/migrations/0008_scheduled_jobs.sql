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
FROM json_each('["retry_mail","retry_webhooks","purge_expired_data"]');
