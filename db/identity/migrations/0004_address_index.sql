DROP INDEX `sign_in_requests_address`;--> statement-breakpoint
CREATE INDEX `sign_in_requests_address` ON `sign_in_requests` (`email`,`company_id`,`expires_at`);