-- broadcast_recipients is WITHOUT ROWID, which Drizzle does not know: the row and its key are one written row.
CREATE TABLE `broadcast_recipients` (
	`broadcast_id` integer NOT NULL,
	`email_hmac` text NOT NULL,
	`status` text NOT NULL,
	`user_id` integer,
	`subscriber_id` integer,
	`contact_enc` text,
	`email_masked` text NOT NULL,
	`language` text NOT NULL,
	PRIMARY KEY(`broadcast_id`, `email_hmac`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `broadcasts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`paused_state` text,
	`template_id` integer NOT NULL,
	`template_key` text NOT NULL,
	`language` text NOT NULL,
	`audience` text NOT NULL,
	`list_id` integer,
	`provider_ref` text NOT NULL,
	`version_id` integer,
	`template_version` integer,
	`scope` text DEFAULT '' NOT NULL,
	`from_email` text DEFAULT '' NOT NULL,
	`bearer_enc` text,
	`bearer_expires_at` integer,
	`seal_id` text NOT NULL,
	`granted_by` integer,
	`send_at` integer,
	`cursor` text DEFAULT '' NOT NULL,
	`failed_pages` integer DEFAULT 0 NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`skipped_unsubscribed` integer DEFAULT 0 NOT NULL,
	`skipped_suppressed` integer DEFAULT 0 NOT NULL,
	`removed` integer DEFAULT 0 NOT NULL,
	`messages` integer DEFAULT 0 NOT NULL,
	`step_token` text,
	`step_until` integer,
	`next_step_at` integer,
	`last_error_code` text DEFAULT '' NOT NULL,
	`request_id` text NOT NULL,
	`created_by` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`started_at` integer,
	`sent_at` integer,
	`purged_at` integer
);
--> statement-breakpoint
CREATE INDEX `broadcasts_company` ON `broadcasts` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `broadcasts_state` ON `broadcasts` (`company_id`,`state`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `broadcasts_ref` ON `broadcasts` (`provider_ref`);--> statement-breakpoint
CREATE INDEX `broadcasts_list` ON `broadcasts` (`list_id`) WHERE list_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `broadcasts_template` ON `broadcasts` (`template_id`);--> statement-breakpoint
CREATE INDEX `broadcasts_due` ON `broadcasts` (`next_step_at`) WHERE next_step_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `newsletters` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`public_key` text NOT NULL,
	`default_language` text NOT NULL,
	`allowed_origins` text DEFAULT '[]' NOT NULL,
	`confirmed_redirect_url` text DEFAULT '' NOT NULL,
	`turnstile_site_key` text DEFAULT '' NOT NULL,
	`turnstile_secret_enc` text,
	`seal_id` text NOT NULL,
	`confirmation_template_id` integer NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`confirmed` integer DEFAULT 0 NOT NULL,
	`unsubscribed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `newsletters_company` ON `newsletters` (`company_id`,`name`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `newsletters_key` ON `newsletters` (`public_key`);--> statement-breakpoint
CREATE INDEX `newsletters_template` ON `newsletters` (`confirmation_template_id`);--> statement-breakpoint
CREATE TABLE `subscribers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`list_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`email_hmac` text NOT NULL,
	`email_enc` text,
	`email_masked` text NOT NULL,
	`first_name_enc` text,
	`seal_id` text NOT NULL,
	`language` text NOT NULL,
	`status` text NOT NULL,
	`source` text NOT NULL,
	`token_hash` text,
	`token_expires_at` integer,
	`mail_count` integer DEFAULT 0 NOT NULL,
	`mail_day` integer,
	`mailed_at` integer,
	`consent` text,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`unsubscribed_at` integer,
	`cleared_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subscribers_address` ON `subscribers` (`company_id`,`email_hmac`,`list_id`);--> statement-breakpoint
CREATE INDEX `subscribers_list` ON `subscribers` (`list_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `subscribers_token` ON `subscribers` (`token_hash`) WHERE token_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscribers_pending` ON `subscribers` (`created_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `subscribers_wiped` ON `subscribers` (`unsubscribed_at`) WHERE status = 'unsubscribed' AND cleared_at IS NULL;--> statement-breakpoint
ALTER TABLE `messages` ADD `broadcast_id` integer;--> statement-breakpoint
ALTER TABLE `messages` ADD `list_id` integer;