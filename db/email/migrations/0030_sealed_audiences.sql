ALTER TABLE `broadcasts` ADD `audience_emails_enc` text;--> statement-breakpoint
ALTER TABLE `broadcasts` ADD `audience_hashes` text;--> statement-breakpoint
CREATE INDEX `broadcasts_picked` ON `broadcasts` (`company_id`,`id`) WHERE audience_hashes IS NOT NULL;