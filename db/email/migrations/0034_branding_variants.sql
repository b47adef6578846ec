ALTER TABLE `brandings` ADD `logo_dark_url` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `brandings` ADD `footer_texts` text DEFAULT '{}' NOT NULL;