-- The event log is keyed by company and a time-ordered id, WITHOUT ROWID, which Drizzle does not know. Company 0: the platform.
-- Rows of before get such an id from their time and number, and keep their own in event_id. The defaults are for the code of
-- before, which runs on this table during a deployment: it names no id, and its events of the platform have no company.
CREATE TABLE `event_log_keyed` (
	`company_id` integer NOT NULL ON CONFLICT REPLACE DEFAULT 0,
	`id` text NOT NULL DEFAULT (printf('%08x-%04x-7%03x-8000-%012x',
		cast(unixepoch('subsec') * 1000 AS integer) / 65536, cast(unixepoch('subsec') * 1000 AS integer) % 65536,
		random() & 4095, random() & 281474976710655)),
	`event_id` text,
	`event_type` text NOT NULL,
	`user_id` integer,
	`actor_email` text,
	`data` text NOT NULL,
	`actor` text,
	`envelope` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `event_log_keyed` (`company_id`, `id`, `event_id`, `event_type`, `user_id`, `actor_email`, `data`, `actor`, `envelope`, `created_at`)
	SELECT coalesce(`company_id`, 0),
		printf('%08x-%04x-7%03x-8000-%012x', `created_at` / 65536, `created_at` % 65536, min(row_number() OVER
			(PARTITION BY coalesce(`company_id`, 0), `created_at` ORDER BY `id`) - 1, 4095), `id`),
		`event_id`, `event_type`, `user_id`, `actor_email`, `data`, `actor`, `envelope`, `created_at` FROM `event_log`;--> statement-breakpoint
-- The integer ids of events are read off the new ones.
UPDATE `scheduled_job_runs` SET `event_log_id` = e.`number` FROM (SELECT `id`, (`created_at` - 1577836800000) * 4096 + min(row_number() OVER (PARTITION BY `created_at` ORDER BY `id`) - 1, 4095) AS `number`
	FROM `event_log` WHERE `company_id` IS NULL) e WHERE e.`id` = `event_log_id`;--> statement-breakpoint
DROP TABLE `event_log`;--> statement-breakpoint
ALTER TABLE `event_log_keyed` RENAME TO `event_log`;--> statement-breakpoint
CREATE UNIQUE INDEX `event_log_event_id` ON `event_log` (`event_id`) WHERE event_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_rare` ON `event_log` (`company_id`,`event_type`,`id`) WHERE event_type NOT IN ('hosting.scheduled_job.succeeded');--> statement-breakpoint
-- Tables with keys of text, WITHOUT ROWID too.
CREATE TABLE `scheduled_job_states_keyed` (
	`job` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`last_started_at` integer,
	`last_success_at` integer,
	`last_failure_at` integer,
	`last_skipped_at` integer,
	`last_duration_ms` integer,
	`fence` integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `scheduled_job_states_keyed` (`job`, `created_at`, `last_started_at`, `last_success_at`, `last_failure_at`, `last_skipped_at`, `last_duration_ms`, `fence`) SELECT `job`, `created_at`, `last_started_at`, `last_success_at`, `last_failure_at`, `last_skipped_at`, `last_duration_ms`, `fence` FROM `scheduled_job_states`;--> statement-breakpoint
DROP TABLE `scheduled_job_states`;--> statement-breakpoint
ALTER TABLE `scheduled_job_states_keyed` RENAME TO `scheduled_job_states`;--> statement-breakpoint
CREATE TABLE `scheduled_job_counters_keyed` (
	`job` text NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `scheduled_job_counters_keyed` (`job`, `name`, `value`) SELECT `job`, `name`, `value` FROM `scheduled_job_counters`;--> statement-breakpoint
DROP TABLE `scheduled_job_counters`;--> statement-breakpoint
ALTER TABLE `scheduled_job_counters_keyed` RENAME TO `scheduled_job_counters`;--> statement-breakpoint
CREATE TABLE `action_hosts_keyed` (
	`host` text PRIMARY KEY NOT NULL,
	`consecutive_failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `action_hosts_keyed` (`host`, `consecutive_failures`, `last_failure_at`) SELECT `host`, `consecutive_failures`, `last_failure_at` FROM `action_hosts`;--> statement-breakpoint
DROP TABLE `action_hosts`;--> statement-breakpoint
ALTER TABLE `action_hosts_keyed` RENAME TO `action_hosts`;--> statement-breakpoint
CREATE INDEX `action_hosts_failure` ON `action_hosts` (`last_failure_at`);--> statement-breakpoint
CREATE INDEX `action_hosts_limited` ON `action_hosts` (`consecutive_failures`) WHERE consecutive_failures >= 10;--> statement-breakpoint
CREATE TABLE `action_counters_keyed` (
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `action_counters_keyed` (`company_id`, `name`, `value`) SELECT `company_id`, `name`, `value` FROM `action_counters`;--> statement-breakpoint
DROP TABLE `action_counters`;--> statement-breakpoint
ALTER TABLE `action_counters_keyed` RENAME TO `action_counters`;
