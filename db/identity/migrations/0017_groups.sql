-- Groups of users. Tables with a text key are WITHOUT ROWID. The names of a member's groups are stored with the membership,
-- so that a token refresh reads them without another row.
CREATE TABLE `group_groups` (
	`group_id` text NOT NULL,
	`member_group_id` text NOT NULL,
	PRIMARY KEY(`group_id`, `member_group_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_groups_member` ON `group_groups` (`member_group_id`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_id` text NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_members_user` ON `group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`source` text NOT NULL,
	`display_name` text NOT NULL,
	`name_key` text NOT NULL,
	`external_id` text,
	`user_count` integer DEFAULT 0 NOT NULL,
	`revision` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_name` ON `groups` (`company_id`,`name_key`);--> statement-breakpoint
ALTER TABLE `memberships` ADD `group_names` text;--> statement-breakpoint
ALTER TABLE `memberships` ADD `groups_truncated` integer DEFAULT false NOT NULL;
--> statement-breakpoint
-- A removed member leaves the groups of the company. The revision makes planned changes of these groups start again.
CREATE TRIGGER memberships_deleted_groups AFTER DELETE ON memberships
BEGIN
  UPDATE "groups" SET user_count = user_count - 1, revision = lower(hex(randomblob(16)))
  WHERE company_id = OLD.company_id AND id IN (SELECT group_id FROM group_members WHERE user_id = OLD.user_id);
  DELETE FROM group_members WHERE user_id = OLD.user_id
    AND group_id IN (SELECT id FROM "groups" WHERE company_id = OLD.company_id);
END;
--> statement-breakpoint
CREATE TRIGGER groups_deleted AFTER DELETE ON "groups"
BEGIN
  DELETE FROM group_members WHERE group_id = OLD.id;
  DELETE FROM group_groups WHERE group_id = OLD.id;
  DELETE FROM group_groups WHERE member_group_id = OLD.id;
END;
