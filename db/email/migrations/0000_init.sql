CREATE TABLE `company_profiles` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `company_providers` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`seal_id` text NOT NULL,
	`provider` text NOT NULL,
	`from_email` text NOT NULL,
	`from_name` text DEFAULT '' NOT NULL,
	`sending_domain` text DEFAULT '' NOT NULL,
	`bulk_from_email` text DEFAULT '' NOT NULL,
	`reply_to` text DEFAULT '' NOT NULL,
	`credentials_enc` text NOT NULL,
	`credentials_hint` text DEFAULT '' NOT NULL,
	`fingerprint` text NOT NULL,
	`webhook_secret_enc` text,
	`webhook_previous_enc` text,
	`webhook_previous_expires_at` integer,
	`webhook_hint` text DEFAULT '' NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `default_contents` (
	`checksum` text PRIMARY KEY NOT NULL,
	`event_type` text NOT NULL,
	`language` text NOT NULL,
	`subject` text NOT NULL,
	`html` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`current` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `default_contents_current` ON `default_contents` (`event_type`,`language`) WHERE current = 1;--> statement-breakpoint
CREATE TABLE `lane_states` (
	`lane` text NOT NULL,
	`company_id` integer NOT NULL,
	`scope` text NOT NULL,
	`paused` integer NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`fingerprint` text,
	`paused_at` integer NOT NULL,
	`paused_by` integer,
	PRIMARY KEY(`lane`, `company_id`, `scope`)
);
--> statement-breakpoint
CREATE INDEX `lane_states_paused` ON `lane_states` (`lane`,`paused`,`company_id`,`scope`);--> statement-breakpoint
CREATE INDEX `lane_states_company` ON `lane_states` (`company_id`);--> statement-breakpoint
CREATE TABLE `library_templates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`set_key` text NOT NULL,
	`name` text NOT NULL,
	`company_id` integer,
	`built_in` integer NOT NULL,
	`subject` text NOT NULL,
	`preheader` text NOT NULL,
	`document` text NOT NULL,
	`head` text NOT NULL,
	`html` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `library_templates_key_unique` ON `library_templates` (`key`);--> statement-breakpoint
CREATE INDEX `library_templates_company` ON `library_templates` (`company_id`);--> statement-breakpoint
CREATE TABLE `message_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`message_id` text NOT NULL,
	`type` text NOT NULL,
	`at` integer NOT NULL,
	`detail` text,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `message_events_message` ON `message_events` (`message_id`,`at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`service` text NOT NULL,
	`client_id` integer,
	`send_request_id` text,
	`template_key` text NOT NULL,
	`event_type` text NOT NULL,
	`version_id` integer,
	`default_checksum` text,
	`template_version` integer,
	`language` text NOT NULL,
	`lane` text NOT NULL,
	`category` text NOT NULL,
	`scope` text NOT NULL,
	`status` text NOT NULL,
	`to_enc` text NOT NULL,
	`to_masked` text NOT NULL,
	`to_user_id` integer,
	`email_hmac` text NOT NULL,
	`variables_enc` text,
	`provider` text DEFAULT '' NOT NULL,
	`provider_message_id` text,
	`attempt_count` integer DEFAULT 0 NOT NULL,
	`claim_count` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`locked_until` integer,
	`lease_token` text,
	`data_started` integer DEFAULT 0 NOT NULL,
	`accepted_at` integer NOT NULL,
	`expires_at` integer,
	`sent_at` integer,
	`rank` integer DEFAULT 0 NOT NULL,
	`last_error_code` text,
	`bounce` text,
	`trace` text NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `messages_due` ON `messages` (`lane`,`next_attempt_at`) WHERE status IN ('queued','retrying');--> statement-breakpoint
CREATE INDEX `messages_leased` ON `messages` (`locked_until`) WHERE status = 'sending';--> statement-breakpoint
CREATE INDEX `messages_expiring` ON `messages` (`expires_at`) WHERE status IN ('queued','retrying') AND expires_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_company` ON `messages` (`company_id`,`accepted_at`,`id`);--> statement-breakpoint
CREATE INDEX `messages_address` ON `messages` (`company_id`,`email_hmac`,`accepted_at`);--> statement-breakpoint
CREATE INDEX `messages_provider_id` ON `messages` (`provider_message_id`) WHERE provider_message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_accepted` ON `messages` (`accepted_at`);--> statement-breakpoint
CREATE TABLE `send_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`company_id` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`path` text NOT NULL,
	`fingerprint` text NOT NULL,
	`response` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `send_requests_key` ON `send_requests` (`service`,`company_id`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `send_requests_created` ON `send_requests` (`created_at`);--> statement-breakpoint
CREATE INDEX `send_requests_company` ON `send_requests` (`company_id`);--> statement-breakpoint
CREATE TABLE `service_clients` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`service` text NOT NULL,
	`name` text NOT NULL,
	`key_prefix` text NOT NULL,
	`key_hash` text NOT NULL,
	`previous_key_hash` text,
	`previous_expires_at` integer,
	`allowed_lanes` text NOT NULL,
	`allowed_template_prefixes` text NOT NULL,
	`allowed_company_ids` text,
	`callback_url` text,
	`callback_secret_enc` text,
	`seal_id` text NOT NULL,
	`active` integer DEFAULT 1 NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `service_clients_key_hash_unique` ON `service_clients` (`key_hash`);--> statement-breakpoint
CREATE INDEX `service_clients_previous` ON `service_clients` (`previous_key_hash`) WHERE previous_key_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `service_clients_service` ON `service_clients` (`service`,`id`);--> statement-breakpoint
CREATE TABLE `stats_days` (
	`company_id` integer NOT NULL,
	`day` text NOT NULL,
	`lane` text NOT NULL,
	`event_type` text NOT NULL,
	`queued` integer DEFAULT 0 NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`bounced` integer DEFAULT 0 NOT NULL,
	`complained` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`expired` integer DEFAULT 0 NOT NULL,
	`suppressed` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `lane`, `event_type`)
);
--> statement-breakpoint
CREATE TABLE `suppressions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`email_hmac` text NOT NULL,
	`email_masked` text NOT NULL,
	`reason` text NOT NULL,
	`lanes` text DEFAULT '[]' NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `suppressions_address` ON `suppressions` (`company_id`,`email_hmac`,`reason`);--> statement-breakpoint
CREATE INDEX `suppressions_company` ON `suppressions` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `suppressions_expires` ON `suppressions` (`expires_at`) WHERE expires_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `unsubscribes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`email_hmac` text NOT NULL,
	`category` text NOT NULL,
	`source` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `unsubscribes_address` ON `unsubscribes` (`company_id`,`email_hmac`,`category`);