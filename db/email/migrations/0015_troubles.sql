DROP INDEX `messages_provider`;--> statement-breakpoint
CREATE INDEX `messages_troubled` ON `messages` (`company_id`,`accepted_at`,`id`,`status`) WHERE status IN ('delivery_delayed','bounced','complained','failed','expired','suppressed','cancelled');--> statement-breakpoint
CREATE INDEX `messages_provider` ON `messages` (`provider_message_id`) WHERE provider = 'api';--> statement-breakpoint
CREATE INDEX `provider_events_kept` ON `provider_events` (`created_at`) WHERE applied = 0;
--> statement-breakpoint
-- Totals of what made no message, since the beginning, for the scrape.
CREATE TRIGGER skip_days_inserted AFTER INSERT ON skip_days
BEGIN
  INSERT INTO figure_hours (company_id, hour, name, a, b, n)
  VALUES (NEW.company_id, 0, 'skipped', NEW.reason, '', NEW.n), (0, 0, 'skipped', NEW.reason, '', NEW.n)
  ON CONFLICT (company_id, hour, name, a, b) DO UPDATE SET n = n + excluded.n;
END;
--> statement-breakpoint
CREATE TRIGGER skip_days_counted AFTER UPDATE OF n ON skip_days
BEGIN
  INSERT INTO figure_hours (company_id, hour, name, a, b, n)
  VALUES (NEW.company_id, 0, 'skipped', NEW.reason, '', NEW.n - OLD.n), (0, 0, 'skipped', NEW.reason, '', NEW.n - OLD.n)
  ON CONFLICT (company_id, hour, name, a, b) DO UPDATE SET n = n + excluded.n;
END;
