CREATE TABLE `stats_marks` (
	`id` integer PRIMARY KEY NOT NULL,
	`counted_before` integer NOT NULL
);
--> statement-breakpoint
-- What is stored is counted already; ids of before were made up to a second ahead of the clock.
INSERT INTO `stats_marks` (`id`, `counted_before`) VALUES (1, unixepoch() * 1000 + 2000);
--> statement-breakpoint
CREATE TABLE `__new_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`service` text NOT NULL,
	`client_id` integer,
	`send_request_id` text,
	`idempotency_key` text,
	`fingerprint` text,
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
	`next_attempt_at` integer,
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
	`events` text DEFAULT '[]' NOT NULL,
	`request_id` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_messages` ("id", "company_id", "service", "client_id", "send_request_id", "template_key", "event_type", "version_id", "default_checksum", "template_version", "language", "lane", "category", "scope", "status", "to_enc", "to_masked", "to_user_id", "email_hmac", "variables_enc", "provider", "provider_message_id", "attempt_count", "claim_count", "next_attempt_at", "locked_until", "lease_token", "data_started", "accepted_at", "expires_at", "sent_at", "rank", "last_error_code", "bounce", "trace", "events", "request_id")
SELECT "id", "company_id", "service", "client_id", "send_request_id", "template_key", "event_type", "version_id", "default_checksum", "template_version", "language", "lane", "category", "scope", "status", "to_enc", "to_masked", "to_user_id", "email_hmac", "variables_enc", "provider", "provider_message_id", "attempt_count", "claim_count", CASE WHEN "status" IN ('queued', 'sending', 'retrying') THEN "next_attempt_at" END, "locked_until", "lease_token", "data_started", "accepted_at", "expires_at", "sent_at", "rank", "last_error_code", "bounce", "trace", (SELECT json_group_array(json_object('type', e."type", 'at', e."at") ORDER BY e."at", e."id") FROM `message_events` e WHERE e."message_id" = m."id"), "request_id"
FROM `messages` m;
--> statement-breakpoint
DROP TABLE `message_events`;
--> statement-breakpoint
DROP TABLE `messages`;
--> statement-breakpoint
ALTER TABLE `__new_messages` RENAME TO `messages`;
--> statement-breakpoint
CREATE INDEX `messages_open` ON `messages` (`lane`,`next_attempt_at`) WHERE next_attempt_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `messages_company` ON `messages` (`company_id`,`accepted_at`,`id`);
--> statement-breakpoint
CREATE INDEX `messages_address` ON `messages` (`company_id`,`email_hmac`,`accepted_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_key` ON `messages` (`service`,`company_id`,`idempotency_key`) WHERE idempotency_key IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `__new_send_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`service` text NOT NULL,
	`company_id` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`path` text NOT NULL,
	`fingerprint` text NOT NULL,
	`response` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
-- The ids were random; these begin with their time, as the purge expects.
INSERT INTO `__new_send_requests` (`id`, `service`, `company_id`, `idempotency_key`, `path`, `fingerprint`, `response`, `created_at`)
SELECT printf('%012x', `created_at`) || substr(replace(`id`, '-', ''), 13), `service`, `company_id`, `idempotency_key`, `path`, `fingerprint`, `response`, `created_at` FROM `send_requests`;
--> statement-breakpoint
UPDATE `messages` SET `send_request_id` = printf('%012x', `accepted_at`) || substr(replace(`send_request_id`, '-', ''), 13) WHERE `send_request_id` IS NOT NULL;
--> statement-breakpoint
DROP TABLE `send_requests`;
--> statement-breakpoint
ALTER TABLE `__new_send_requests` RENAME TO `send_requests`;
--> statement-breakpoint
CREATE UNIQUE INDEX `send_requests_key` ON `send_requests` (`service`,`company_id`,`idempotency_key`);
--> statement-breakpoint
CREATE TABLE `__new_stats_days` (
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
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_stats_days` (`company_id`, `day`, `lane`, `event_type`, `queued`, `sent`, `delivered`, `bounced`, `complained`, `failed`, `expired`, `suppressed`, `cancelled`)
SELECT `company_id`, `day`, `lane`, `event_type`, `queued`, `sent`, `delivered`, `bounced`, `complained`, `failed`, `expired`, `suppressed`, `cancelled` FROM `stats_days`;
--> statement-breakpoint
DROP TABLE `stats_days`;
--> statement-breakpoint
ALTER TABLE `__new_stats_days` RENAME TO `stats_days`;
--> statement-breakpoint
CREATE TRIGGER stats_days_inserted AFTER INSERT ON stats_days
BEGIN
  INSERT INTO message_totals (company_id, lane, sent, delivered, bounced, complained, failed, expired, suppressed, cancelled)
  VALUES (NEW.company_id, NEW.lane, NEW.sent, NEW.delivered, NEW.bounced, NEW.complained, NEW.failed, NEW.expired, NEW.suppressed, NEW.cancelled),
    (0, NEW.lane, NEW.sent, NEW.delivered, NEW.bounced, NEW.complained, NEW.failed, NEW.expired, NEW.suppressed, NEW.cancelled)
  ON CONFLICT (company_id, lane) DO UPDATE SET sent = sent + excluded.sent,
    delivered = delivered + excluded.delivered,
    bounced = bounced + excluded.bounced,
    complained = complained + excluded.complained,
    failed = failed + excluded.failed,
    expired = expired + excluded.expired,
    suppressed = suppressed + excluded.suppressed,
    cancelled = cancelled + excluded.cancelled;
END;
--> statement-breakpoint
CREATE TRIGGER stats_days_updated AFTER UPDATE ON stats_days
BEGIN
  INSERT INTO message_totals (company_id, lane, sent, delivered, bounced, complained, failed, expired, suppressed, cancelled)
  VALUES (NEW.company_id, NEW.lane, NEW.sent - OLD.sent, NEW.delivered - OLD.delivered, NEW.bounced - OLD.bounced, NEW.complained - OLD.complained, NEW.failed - OLD.failed, NEW.expired - OLD.expired, NEW.suppressed - OLD.suppressed, NEW.cancelled - OLD.cancelled),
    (0, NEW.lane, NEW.sent - OLD.sent, NEW.delivered - OLD.delivered, NEW.bounced - OLD.bounced, NEW.complained - OLD.complained, NEW.failed - OLD.failed, NEW.expired - OLD.expired, NEW.suppressed - OLD.suppressed, NEW.cancelled - OLD.cancelled)
  ON CONFLICT (company_id, lane) DO UPDATE SET sent = sent + excluded.sent,
    delivered = delivered + excluded.delivered,
    bounced = bounced + excluded.bounced,
    complained = complained + excluded.complained,
    failed = failed + excluded.failed,
    expired = expired + excluded.expired,
    suppressed = suppressed + excluded.suppressed,
    cancelled = cancelled + excluded.cancelled;
END;
