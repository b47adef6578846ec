-- Copies of designs and what decides which of them is sent. Tables with keys of text are WITHOUT ROWID, which Drizzle does not know.
CREATE TABLE `brandings` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`primary_color` text DEFAULT '' NOT NULL,
	`logo_url` text DEFAULT '' NOT NULL,
	`postal_address` text DEFAULT '' NOT NULL,
	`footer_text` text DEFAULT '' NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `decisions` (
	`company_id` integer NOT NULL,
	`id` text NOT NULL,
	`service` text NOT NULL,
	`event_type` text NOT NULL,
	`reason` text NOT NULL,
	`rule_id` integer,
	`recipient_masked` text,
	`email_hmac` text,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `decisions_address` ON `decisions` (`company_id`,`email_hmac`) WHERE email_hmac IS NOT NULL;--> statement-breakpoint
CREATE TABLE `provider_events` (
	`signing_scope` text NOT NULL,
	`hook_id` text NOT NULL,
	`provider_message_id` text,
	`body_enc` text,
	`seal_id` text,
	`applied` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`signing_scope`, `hook_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `provider_events_waiting` ON `provider_events` (`provider_message_id`) WHERE applied = 0;--> statement-breakpoint
CREATE INDEX `provider_events_created` ON `provider_events` (`created_at`);--> statement-breakpoint
CREATE TABLE `rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`service` text NOT NULL,
	`event_type` text NOT NULL,
	`enabled` integer NOT NULL,
	`template_id` integer NOT NULL,
	`language` text NOT NULL,
	`recipient_mode` text NOT NULL,
	`static_recipients_enc` text NOT NULL,
	`seal_id` text NOT NULL,
	`built_in` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rules_built_in` ON `rules` (`company_id`,`event_type`) WHERE built_in = 1;--> statement-breakpoint
CREATE INDEX `rules_event` ON `rules` (`company_id`,`event_type`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `rules_template` ON `rules` (`template_id`);--> statement-breakpoint
CREATE TABLE `skip_days` (
	`company_id` integer NOT NULL,
	`day` text NOT NULL,
	`lane` text NOT NULL,
	`event_type` text NOT NULL,
	`reason` text NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`company_id`, `day`, `lane`, `event_type`, `reason`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `template_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`template_id` integer NOT NULL,
	`number` integer NOT NULL,
	`state` text NOT NULL,
	`subject` text NOT NULL,
	`preheader` text NOT NULL,
	`document` text NOT NULL,
	`html` text NOT NULL,
	`text` text NOT NULL,
	`renderer_version` integer NOT NULL,
	`checksum` text NOT NULL,
	`created_by` integer,
	`published_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `template_versions_number` ON `template_versions` (`template_id`,`number`);--> statement-breakpoint
CREATE TABLE `templates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`template_key` text NOT NULL,
	`kind` text NOT NULL,
	`company_id` integer NOT NULL,
	`event_type` text NOT NULL,
	`name` text NOT NULL,
	`language` text NOT NULL,
	`source_key` text NOT NULL,
	`set_key` text NOT NULL,
	`active_version` integer,
	`hidden_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_template_key_unique` ON `templates` (`template_key`);--> statement-breakpoint
CREATE INDEX `templates_company` ON `templates` (`company_id`,`kind`,`event_type`);--> statement-breakpoint
CREATE INDEX `templates_hidden` ON `templates` (`hidden_at`) WHERE hidden_at IS NOT NULL;--> statement-breakpoint
DROP INDEX `messages_company`;--> statement-breakpoint
CREATE INDEX `messages_provider` ON `messages` (`provider_message_id`) WHERE provider_message_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_company` ON `messages` (`company_id`,`accepted_at`,`id`,`lane`,`event_type`,`template_key`,`service`,`request_id`);--> statement-breakpoint
ALTER TABLE `company_providers` ADD `domain_health` text;