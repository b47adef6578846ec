-- WITHOUT ROWID, which Drizzle does not know: the row and its key are one written row.
CREATE TABLE `direct_contents` (
	`company_id` integer NOT NULL,
	`id` text NOT NULL,
	`content_enc` text NOT NULL,
	`scheduled_at` integer,
	PRIMARY KEY(`company_id`, `id`)
) WITHOUT ROWID;
