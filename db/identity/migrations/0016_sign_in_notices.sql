ALTER TABLE `companies` ADD `notify_new_device` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device` text;--> statement-breakpoint
ALTER TABLE `sign_in_requests` ADD `asked_from` text;