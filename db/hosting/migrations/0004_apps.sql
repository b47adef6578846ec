CREATE TABLE `hosting_access` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`requested_at` integer,
	`requested_by_id` integer,
	`reviewed_at` integer,
	`reviewed_by_id` integer,
	`notes` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `hosting_access_status` ON `hosting_access` (`status`,`company_id`);--> statement-breakpoint
CREATE TABLE `hosting_apps` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`display_name` text NOT NULL,
	`owner_id` integer NOT NULL,
	`expires_at` integer,
	`public_deployments` integer DEFAULT false NOT NULL,
	`current_deployment_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_apps_name` ON `hosting_apps` (`company_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_apps_slug` ON `hosting_apps` (`slug`);--> statement-breakpoint
CREATE INDEX `hosting_apps_company` ON `hosting_apps` (`company_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `hosting_apps_expiry` ON `hosting_apps` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE TABLE `hosting_blobs` (
	`company_id` integer NOT NULL,
	`sha256` text NOT NULL,
	`size` integer NOT NULL,
	`touched_at` integer NOT NULL,
	`stored_at` integer,
	`removed_at` integer,
	PRIMARY KEY(`company_id`, `sha256`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `hosting_cleanups` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`position` text NOT NULL,
	`lease_token` text,
	`lease_until` integer
);
--> statement-breakpoint
CREATE INDEX `hosting_cleanups_due` ON `hosting_cleanups` (`due_at`);--> statement-breakpoint
CREATE TABLE `hosting_deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`app_id` text NOT NULL,
	`company_id` integer NOT NULL,
	`address` text NOT NULL,
	`app_version` text NOT NULL,
	`shell_version` text NOT NULL,
	`status` text NOT NULL,
	`pinned` integer NOT NULL,
	`message` text NOT NULL,
	`not_found` text NOT NULL,
	`deployed_by_id` integer NOT NULL,
	`artifact_size` integer,
	`file_count` integer,
	`total_bytes` integer,
	`bytes_new` integer,
	`error` text,
	`warnings` text NOT NULL,
	`lease_token` text,
	`lease_until` integer,
	`files_done` integer DEFAULT 0 NOT NULL,
	`next_step_at` integer,
	`live_from` integer,
	`live_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`finalized_at` integer
);
--> statement-breakpoint
CREATE INDEX `hosting_deployments_app` ON `hosting_deployments` (`app_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_deployments_address` ON `hosting_deployments` (`app_id`,`address`);--> statement-breakpoint
CREATE INDEX `hosting_deployments_company` ON `hosting_deployments` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `hosting_deployments_due` ON `hosting_deployments` (`next_step_at`) WHERE next_step_at is not null;--> statement-breakpoint
CREATE INDEX `hosting_deployments_lived` ON `hosting_deployments` (`app_id`,`live_until`) WHERE live_until is not null;--> statement-breakpoint
CREATE TABLE `hosting_domains` (
	`hostname` text NOT NULL,
	`app_id` text NOT NULL,
	`id` text NOT NULL,
	`company_id` integer NOT NULL,
	`token` text NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`provider_id` text,
	`checked_at` integer,
	`next_check_at` integer,
	`verified_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`app_id`, `hostname`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_domains_id` ON `hosting_domains` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_domains_verified` ON `hosting_domains` (`hostname`) WHERE state = 'verified';--> statement-breakpoint
CREATE INDEX `hosting_domains_due` ON `hosting_domains` (`next_check_at`) WHERE next_check_at is not null;--> statement-breakpoint
CREATE TABLE `hosting_origins` (
	`origin` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`label` text NOT NULL,
	`is_wanted` integer NOT NULL,
	`change_id` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `hosting_origins_due` ON `hosting_origins` (`due_at`);--> statement-breakpoint
CREATE TABLE `hosting_visits` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`deployment_id` text NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`session_hash` text,
	`expires_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `hosting_visits_session` ON `hosting_visits` (`session_hash`) WHERE session_hash is not null;--> statement-breakpoint
CREATE INDEX `hosting_visits_expiry` ON `hosting_visits` (`expires_at`);