-- Tables whose keys are texts or of several columns are WITHOUT ROWID, which Drizzle does not know.
CREATE TABLE `action_counters` (
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `action_deliveries` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`company_id` integer NOT NULL,
	`rule_id` integer NOT NULL,
	`rule_name` text NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`host` text NOT NULL,
	`body` text NOT NULL,
	`status` text NOT NULL,
	`attempt_count` integer DEFAULT 0 NOT NULL,
	`claim_count` integer DEFAULT 0 NOT NULL,
	`requeue_count` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`locked_until` integer,
	`lease_token` text,
	`dispatched_at` integer,
	`last_error` text,
	`last_error_code` text,
	`delivered_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `action_deliveries_id_unique` ON `action_deliveries` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `action_deliveries_event` ON `action_deliveries` (`event_id`,`rule_id`,`kind`);--> statement-breakpoint
CREATE INDEX `action_deliveries_waiting` ON `action_deliveries` (`rule_id`,`due_at`) WHERE status IN ('pending','failed');--> statement-breakpoint
CREATE INDEX `action_deliveries_leased` ON `action_deliveries` (`locked_until`,`rule_id`,`host`) WHERE locked_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `action_deliveries_finished` ON `action_deliveries` (`kind`,`created_at`) WHERE status IN ('delivered','dead');--> statement-breakpoint
CREATE INDEX `action_deliveries_company` ON `action_deliveries` (`company_id`,`created_at`,`seq`);--> statement-breakpoint
CREATE INDEX `action_deliveries_dead` ON `action_deliveries` (`rule_id`,`created_at`) WHERE status = 'dead';--> statement-breakpoint
CREATE TABLE `action_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`consecutive_failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `action_hosts_failure` ON `action_hosts` (`last_failure_at`);--> statement-breakpoint
CREATE INDEX `action_hosts_limited` ON `action_hosts` (`consecutive_failures`) WHERE consecutive_failures >= 10;--> statement-breakpoint
CREATE TABLE `action_rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`event_type` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`action_kind` text DEFAULT 'webhook' NOT NULL,
	`url` text NOT NULL,
	`host` text NOT NULL,
	`secret_enc` text NOT NULL,
	`secret_hint` text NOT NULL,
	`previous_secret_enc` text,
	`previous_secret_expires_at` integer,
	`authorization_enc` text,
	`allow_private_urls` integer DEFAULT false NOT NULL,
	`last_success_at` integer,
	`last_failure_at` integer,
	`failing_since` integer,
	`health_reason` text,
	`failing_told_at` integer,
	`is_failing_told` integer DEFAULT false NOT NULL,
	`notice_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `action_rules_company` ON `action_rules` (`company_id`,`event_type`,`name`);--> statement-breakpoint
CREATE INDEX `action_rules_unhealthy` ON `action_rules` ((CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)) WHERE (failing_since IS NOT NULL OR health_reason IS NOT NULL);--> statement-breakpoint
CREATE INDEX `action_rules_untold` ON `action_rules` ((CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)) WHERE enabled = 1 AND is_failing_told = 0 AND (failing_since IS NOT NULL OR health_reason IS NOT NULL);--> statement-breakpoint
CREATE INDEX `action_rules_notice` ON `action_rules` (`notice_at`) WHERE notice_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `action_rules_previous` ON `action_rules` (`previous_secret_expires_at`) WHERE previous_secret_expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_seq` integer NOT NULL,
	`lease_token` text NOT NULL,
	`status` text NOT NULL,
	`http_status` integer,
	`error_code` text,
	`error_message` text,
	`attempt_number` integer NOT NULL,
	`requeue_count` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`trigger` text NOT NULL,
	`scheduled_job_run_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`delivery_seq`) REFERENCES `action_deliveries`(`seq`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_attempts_lease` ON `delivery_attempts` (`delivery_seq`,`lease_token`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_run` ON `delivery_attempts` (`scheduled_job_run_id`) WHERE scheduled_job_run_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `event_log` (
	`company_id` integer NOT NULL,
	`id` text NOT NULL,
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
CREATE UNIQUE INDEX `event_log_event_id` ON `event_log` (`event_id`) WHERE event_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_rare` ON `event_log` (`company_id`,`event_type`,`id`) WHERE event_type NOT IN ('storage.scheduled_job.succeeded','storage.object.uploaded','storage.object.deleted','storage.object.moved');--> statement-breakpoint
CREATE TABLE `scheduled_job_counters` (
	`job` text NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job`, `name`)
) WITHOUT ROWID;
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
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO scheduled_job_states (job, created_at)
SELECT value, CAST(unixepoch('subsec') * 1000 AS INTEGER)
FROM json_each('["retry_webhooks","purge_expired_data","sweep_storage"]');
