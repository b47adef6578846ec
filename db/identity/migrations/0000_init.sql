CREATE TABLE `auth_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`redirect_to` text NOT NULL,
	`redirect_key` text NOT NULL,
	`code_challenge` text,
	`auth_time` integer NOT NULL,
	`client_context` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`redeemed_at` integer,
	`redeem_nonce` text
);
--> statement-breakpoint
CREATE INDEX `auth_codes_company` ON `auth_codes` (`company_id`);--> statement-breakpoint
CREATE INDEX `auth_codes_expires` ON `auth_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `companies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`access_mode` text DEFAULT 'public' NOT NULL,
	`allowed_email_domains` text DEFAULT '[]' NOT NULL,
	`enable_magic_link` integer DEFAULT 1 NOT NULL,
	`is_active` integer DEFAULT 1 NOT NULL,
	`data_retention_days` integer DEFAULT 7 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `companies_slug_unique` ON `companies` (`slug`);--> statement-breakpoint
CREATE TABLE `counters` (
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`value` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `name`, `label`)
);
--> statement-breakpoint
CREATE TABLE `event_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`company_id` integer,
	`event_type` text NOT NULL,
	`user_id` integer,
	`user_email` text,
	`data` text NOT NULL,
	`actor` text,
	`outcome` text,
	`provider` text,
	`is_staff_at_event` integer,
	`country` text,
	`city` text,
	`timezone` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_log_event_id_unique` ON `event_log` (`event_id`);--> statement-breakpoint
CREATE INDEX `event_log_company` ON `event_log` (`company_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `event_log_user` ON `event_log` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `event_log_created` ON `event_log` (`created_at`);--> statement-breakpoint
CREATE TABLE `mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`kind` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`sealed` text,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`locked_until` integer,
	`lease` text,
	`last_error` text,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_outbox_idempotency_key_unique` ON `mail_outbox` (`idempotency_key`);--> statement-breakpoint
CREATE INDEX `mail_outbox_due` ON `mail_outbox` (`state`,`next_at`);--> statement-breakpoint
CREATE INDEX `mail_outbox_company` ON `mail_outbox` (`company_id`);--> statement-breakpoint
CREATE INDEX `mail_outbox_created` ON `mail_outbox` (`created_at`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`state` text NOT NULL,
	`state_reason` text NOT NULL,
	`state_at` integer NOT NULL,
	`is_owner` integer DEFAULT 0 NOT NULL,
	`profile` text,
	`last_seen_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `memberships_user` ON `memberships` (`user_id`);--> statement-breakpoint
CREATE INDEX `memberships_owners` ON `memberships` (`company_id`) WHERE is_owner = 1;--> statement-breakpoint
CREATE TABLE `oauth_redirects` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`base_url` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`source` text DEFAULT 'manual' NOT NULL,
	`is_active` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_redirects_origin` ON `oauth_redirects` (`company_id`,`base_url`);--> statement-breakpoint
CREATE INDEX `oauth_redirects_oldest` ON `oauth_redirects` (`company_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `preferences` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`theme_name` text DEFAULT 'default' NOT NULL,
	`language` text DEFAULT 'en' NOT NULL,
	`region` text DEFAULT 'UTC' NOT NULL,
	`color_scheme` text DEFAULT 'system' NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`counter` integer DEFAULT 0 NOT NULL,
	`auth_time` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`idle_expires_at` integer NOT NULL,
	`absolute_expires_at` integer NOT NULL,
	`revoked_at` integer,
	`revoke_reason` text,
	`country` text,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_user_company` ON `sessions` (`user_id`,`company_id`);--> statement-breakpoint
CREATE INDEX `sessions_idle` ON `sessions` (`idle_expires_at`);--> statement-breakpoint
CREATE INDEX `sessions_revoked` ON `sessions` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sign_in_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`code_hash` text,
	`code_tries` integer DEFAULT 0 NOT NULL,
	`redirect_to` text NOT NULL,
	`token_delivery` text NOT NULL,
	`code_challenge` text,
	`language` text NOT NULL,
	`client_timezone` text DEFAULT '' NOT NULL,
	`device_hash` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	`consume_nonce` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_requests_token_hash_unique` ON `sign_in_requests` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sign_in_requests_address` ON `sign_in_requests` (`company_id`,`email`,`expires_at`);--> statement-breakpoint
CREATE INDEX `sign_in_requests_expires` ON `sign_in_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`email_verified_at` integer,
	`username` text NOT NULL,
	`first_name` text DEFAULT '' NOT NULL,
	`last_name` text DEFAULT '' NOT NULL,
	`avatar_url` text,
	`metadata` text DEFAULT '{}' NOT NULL,
	`is_active` integer DEFAULT 1 NOT NULL,
	`is_staff` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);