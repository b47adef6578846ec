DROP INDEX `service_clients_service`;--> statement-breakpoint
CREATE INDEX `service_clients_staff` ON `service_clients` (`service`,`id`) WHERE owner_company_id IS NULL;