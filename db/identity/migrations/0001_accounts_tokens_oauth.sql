CREATE TABLE `company_totals` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`members` integer DEFAULT 0 NOT NULL,
	`allowed` integer DEFAULT 0 NOT NULL,
	`staff` integer DEFAULT 0 NOT NULL,
	`identities` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `identities` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`provider` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`company_id` integer DEFAULT 0 NOT NULL,
	`email` text NOT NULL,
	`email_proven` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`provider`,`issuer`,`subject`,`company_id`);--> statement-breakpoint
CREATE INDEX `identities_user` ON `identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`provider_id` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`client_id` text NOT NULL,
	`config` text DEFAULT '{}' NOT NULL,
	`secret_sealed` text,
	`is_active` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_provider` ON `oauth_clients` (`company_id`,`provider_id`);--> statement-breakpoint
CREATE TABLE `oauth_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`cookie_hash` text NOT NULL,
	`company_id` integer NOT NULL,
	`client_id` text NOT NULL,
	`redirect_to` text NOT NULL,
	`token_delivery` text NOT NULL,
	`code_challenge` text,
	`sealed` text NOT NULL,
	`client_context` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`use_nonce` text
);
--> statement-breakpoint
CREATE INDEX `oauth_states_company` ON `oauth_states` (`company_id`);--> statement-breakpoint
CREATE INDEX `oauth_states_expires` ON `oauth_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `personal_access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`jti` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`read_only` integer DEFAULT 0 NOT NULL,
	`access_global_metrics` integer DEFAULT 0 NOT NULL,
	`agm_set_by` integer,
	`parent_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`last_used_network` text,
	`use_count` integer DEFAULT 0 NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `personal_access_tokens_jti_unique` ON `personal_access_tokens` (`jti`);--> statement-breakpoint
CREATE INDEX `personal_access_tokens_user` ON `personal_access_tokens` (`company_id`,`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `personal_access_tokens_parent` ON `personal_access_tokens` (`parent_id`) WHERE parent_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `personal_access_tokens_expires` ON `personal_access_tokens` (`expires_at`);--> statement-breakpoint
CREATE INDEX `personal_access_tokens_revoked` ON `personal_access_tokens` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `seen_days` (
	`company_id` integer NOT NULL,
	`day` integer NOT NULL,
	`people` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`)
);
--> statement-breakpoint
ALTER TABLE `users` ADD `last_seen_at` integer;--> statement-breakpoint
CREATE INDEX `event_log_type` ON `event_log` (`company_id`,`event_type`,`created_at`);--> statement-breakpoint
CREATE INDEX `event_log_outcome` ON `event_log` (`company_id`,`outcome`,`created_at`) WHERE outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_provider` ON `event_log` (`company_id`,`provider`,`created_at`) WHERE outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_staff` ON `event_log` (`company_id`,`is_staff_at_event`,`created_at`) WHERE outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_country` ON `event_log` (`company_id`,`country`,`created_at`) WHERE outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_city` ON `event_log` (`company_id`,`city`,`created_at`) WHERE outcome IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_log_timezone` ON `event_log` (`company_id`,`timezone`,`created_at`) WHERE outcome IS NOT NULL;