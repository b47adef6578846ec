ALTER TABLE `action_rules` ADD `failing_told_at` integer;--> statement-breakpoint
ALTER TABLE `action_rules` ADD `is_failing_told` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `action_rules` ADD `notice_at` integer;--> statement-breakpoint
CREATE INDEX `action_rules_untold` ON `action_rules` ((CASE WHEN health_reason IS NOT NULL THEN 0 ELSE failing_since END)) WHERE enabled = 1 AND is_failing_told = 0 AND (failing_since IS NOT NULL OR health_reason IS NOT NULL);--> statement-breakpoint
CREATE INDEX `action_rules_notice` ON `action_rules` (`notice_at`) WHERE notice_at IS NOT NULL;