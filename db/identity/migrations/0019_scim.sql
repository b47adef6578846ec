-- Directory sync (SCIM). Tables with a text key are WITHOUT ROWID.
CREATE TABLE `scim_companies` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`users` integer DEFAULT 0 NOT NULL,
	`groups` integer DEFAULT 0 NOT NULL,
	`generation` integer DEFAULT 0 NOT NULL,
	`anchors` text DEFAULT '[]' NOT NULL,
	`last_error` text
);
--> statement-breakpoint
CREATE TABLE `scim_events` (
	`company_id` integer NOT NULL,
	`id` text NOT NULL,
	`operation` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_id` text,
	`ok` integer NOT NULL,
	`code` text,
	`detail` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `scim_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`token_hash` text NOT NULL,
	`token_prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_tokens_token_hash_unique` ON `scim_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `scim_tokens_company` ON `scim_tokens` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `scim_tokens_revoked` ON `scim_tokens` (`revoked_at`) WHERE revoked_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `scim_users` (
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`user_name` text NOT NULL,
	`user_name_key` text NOT NULL,
	`external_id` text,
	`attributes` text NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`company_id`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `scim_users_name` ON `scim_users` (`company_id`,`user_name_key`);--> statement-breakpoint
CREATE INDEX `scim_users_external` ON `scim_users` (`company_id`,`external_id`) WHERE external_id IS NOT NULL;
--> statement-breakpoint
-- An account that the directory linked may have a lower id than the last user. Then later users move to other positions.
CREATE TRIGGER scim_users_inserted AFTER INSERT ON scim_users
BEGIN
  INSERT INTO scim_companies (company_id, users) VALUES (NEW.company_id, 1)
  ON CONFLICT (company_id) DO UPDATE SET users = users + 1, generation = generation + (EXISTS (
    SELECT 1 FROM scim_users WHERE company_id = NEW.company_id AND user_id > NEW.user_id));
END;
--> statement-breakpoint
CREATE TRIGGER scim_users_deleted AFTER DELETE ON scim_users
BEGIN
  UPDATE scim_companies SET users = users - 1, generation = generation + 1 WHERE company_id = OLD.company_id;
END;
--> statement-breakpoint
CREATE TRIGGER memberships_deleted_scim AFTER DELETE ON memberships
BEGIN
  DELETE FROM scim_users WHERE company_id = OLD.company_id AND user_id = OLD.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER groups_inserted_scim AFTER INSERT ON "groups" WHEN NEW.source = 'scim'
BEGIN
  INSERT INTO scim_companies (company_id, "groups") VALUES (NEW.company_id, 1)
  ON CONFLICT (company_id) DO UPDATE SET "groups" = "groups" + 1;
END;
--> statement-breakpoint
CREATE TRIGGER groups_deleted_scim AFTER DELETE ON "groups" WHEN OLD.source = 'scim'
BEGIN
  UPDATE scim_companies SET "groups" = "groups" - 1 WHERE company_id = OLD.company_id;
END;
