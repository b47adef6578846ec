CREATE TABLE `library_versions` (
	`version` text PRIMARY KEY NOT NULL,
	`loaded_at` integer NOT NULL
);
