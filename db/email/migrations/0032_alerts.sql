CREATE TABLE `alert_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`alerts` text NOT NULL,
	`is_mail_due` integer NOT NULL,
	`is_post_due` integer NOT NULL,
	`post_attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `alerts` (
	`id` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`code` text NOT NULL,
	`job` text NOT NULL,
	`count` integer,
	`started_at` integer NOT NULL,
	`fired_at` integer,
	`cleared_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO scheduled_job_states (job, created_at) VALUES ('watch', unixepoch() * 1000);
