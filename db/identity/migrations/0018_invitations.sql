-- Invitations. Tables with a text key are WITHOUT ROWID.
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`email` text NOT NULL,
	`language` text NOT NULL,
	`app_url` text NOT NULL,
	`token_hash` text NOT NULL,
	`status` text NOT NULL,
	`group_ids` text DEFAULT '[]' NOT NULL,
	`invited_by` integer,
	`accepted_user_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	`mailed_at` integer,
	`mail_sealed` text,
	`mail_state` text,
	`mail_attempts` integer DEFAULT 0 NOT NULL,
	`mail_next_at` integer,
	`mail_deadline_at` integer,
	`mail_locked_until` integer,
	`mail_lease` text,
	`mail_error` text,
	`mail_request_id` text
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token_hash_unique` ON `invitations` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_address` ON `invitations` (`company_id`,`email`) WHERE status <> 'accepted';--> statement-breakpoint
CREATE INDEX `invitations_company` ON `invitations` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_mail` ON `invitations` (`company_id`,`mail_next_at`) WHERE mail_state = 'waiting';--> statement-breakpoint
CREATE INDEX `invitations_accepted` ON `invitations` (`accepted_user_id`) WHERE accepted_user_id IS NOT NULL;--> statement-breakpoint
-- Accepted invitations contain the address of the user, so they end with the account.
CREATE TRIGGER users_deleted_invitations AFTER DELETE ON users
BEGIN
  DELETE FROM invitations WHERE accepted_user_id = OLD.id;
END;
