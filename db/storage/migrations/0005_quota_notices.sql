ALTER TABLE `company_quotas` ADD `notice_threshold` integer;--> statement-breakpoint
ALTER TABLE `company_quotas` ADD `notice_at` integer;--> statement-breakpoint
CREATE INDEX `company_quotas_notice` ON `company_quotas` (`notice_at`) WHERE notice_at IS NOT NULL;