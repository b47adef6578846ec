CREATE TABLE `action_counters` (
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `name`)
);
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
	`updated_at` integer NOT NULL,
	`subject_hmac` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `action_deliveries_id_unique` ON `action_deliveries` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `action_deliveries_event` ON `action_deliveries` (`event_id`,`rule_id`,`kind`);--> statement-breakpoint
CREATE INDEX `action_deliveries_waiting` ON `action_deliveries` (`rule_id`,`due_at`) WHERE status IN ('pending','failed');--> statement-breakpoint
CREATE INDEX `action_deliveries_leased` ON `action_deliveries` (`locked_until`,`rule_id`,`host`) WHERE locked_until IS NOT NULL;--> statement-breakpoint
CREATE INDEX `action_deliveries_finished` ON `action_deliveries` (`kind`,`created_at`) WHERE status IN ('delivered','dead');--> statement-breakpoint
CREATE INDEX `action_deliveries_company` ON `action_deliveries` (`company_id`,`created_at`,`seq`);--> statement-breakpoint
CREATE INDEX `action_deliveries_dead` ON `action_deliveries` (`rule_id`,`created_at`) WHERE status = 'dead';--> statement-breakpoint
CREATE INDEX `action_deliveries_subject` ON `action_deliveries` (`company_id`,`subject_hmac`) WHERE subject_hmac IS NOT NULL;--> statement-breakpoint
CREATE TABLE `action_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`consecutive_failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `action_hosts_failure` ON `action_hosts` (`last_failure_at`);--> statement-breakpoint
CREATE INDEX `action_hosts_limited` ON `action_hosts` (`consecutive_failures`) WHERE consecutive_failures >= 10;--> statement-breakpoint
CREATE TABLE `action_rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`event_type` text NOT NULL,
	`enabled` integer DEFAULT 1 NOT NULL,
	`action_kind` text DEFAULT 'webhook' NOT NULL,
	`url` text NOT NULL,
	`host` text NOT NULL,
	`secret_enc` text NOT NULL,
	`secret_hint` text NOT NULL,
	`previous_secret_enc` text,
	`previous_secret_expires_at` integer,
	`authorization_enc` text,
	`allow_private_urls` integer DEFAULT 0 NOT NULL,
	`last_success_at` integer,
	`last_failure_at` integer,
	`failing_since` integer,
	`health_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `action_rules_company` ON `action_rules` (`company_id`,`event_type`,`name`);--> statement-breakpoint
CREATE INDEX `action_rules_unhealthy` ON `action_rules` ((CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)) WHERE (failing_since IS NOT NULL OR health_reason IS NOT NULL);--> statement-breakpoint
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
ALTER TABLE `event_log` ADD `subject_hmac` text;--> statement-breakpoint
ALTER TABLE `event_log` ADD `client_id` integer;--> statement-breakpoint
CREATE INDEX `event_log_subject` ON `event_log` (`company_id`,`subject_hmac`) WHERE subject_hmac IS NOT NULL;--> statement-breakpoint
ALTER TABLE `service_clients` ADD `callback_host` text;