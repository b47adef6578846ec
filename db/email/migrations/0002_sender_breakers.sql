CREATE TABLE `sender_breakers` (
	`scope` text NOT NULL,
	`company_id` integer NOT NULL,
	`lane` text NOT NULL,
	`failures` integer NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`opens` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`scope`, `company_id`, `lane`)
);
--> statement-breakpoint
CREATE INDEX `sender_breakers_company` ON `sender_breakers` (`company_id`);