CREATE TABLE `message_totals` (
	`company_id` integer NOT NULL,
	`lane` text NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`delivered` integer DEFAULT 0 NOT NULL,
	`bounced` integer DEFAULT 0 NOT NULL,
	`complained` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`expired` integer DEFAULT 0 NOT NULL,
	`suppressed` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`company_id`, `lane`)
);
--> statement-breakpoint
CREATE INDEX `sender_breakers_opened` ON `sender_breakers` (`scope`,`lane`,`open_until`) WHERE open_until > 0;--> statement-breakpoint
INSERT INTO message_totals (company_id, lane, sent, delivered, bounced, complained, failed, expired, suppressed, cancelled)
SELECT company_id, lane, sum(sent), sum(delivered), sum(bounced), sum(complained), sum(failed), sum(expired), sum(suppressed), sum(cancelled) FROM stats_days GROUP BY 1, 2
UNION ALL SELECT 0, lane, sum(sent), sum(delivered), sum(bounced), sum(complained), sum(failed), sum(expired), sum(suppressed), sum(cancelled) FROM stats_days GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER stats_days_inserted AFTER INSERT ON stats_days
BEGIN
  INSERT INTO message_totals (company_id, lane, sent, delivered, bounced, complained, failed, expired, suppressed, cancelled)
  VALUES (NEW.company_id, NEW.lane, NEW.sent, NEW.delivered, NEW.bounced, NEW.complained, NEW.failed, NEW.expired, NEW.suppressed, NEW.cancelled),
    (0, NEW.lane, NEW.sent, NEW.delivered, NEW.bounced, NEW.complained, NEW.failed, NEW.expired, NEW.suppressed, NEW.cancelled)
  ON CONFLICT (company_id, lane) DO UPDATE SET sent = sent + excluded.sent,
    delivered = delivered + excluded.delivered,
    bounced = bounced + excluded.bounced,
    complained = complained + excluded.complained,
    failed = failed + excluded.failed,
    expired = expired + excluded.expired,
    suppressed = suppressed + excluded.suppressed,
    cancelled = cancelled + excluded.cancelled;
END;
--> statement-breakpoint
CREATE TRIGGER stats_days_updated AFTER UPDATE ON stats_days
BEGIN
  INSERT INTO message_totals (company_id, lane, sent, delivered, bounced, complained, failed, expired, suppressed, cancelled)
  VALUES (NEW.company_id, NEW.lane, NEW.sent - OLD.sent, NEW.delivered - OLD.delivered, NEW.bounced - OLD.bounced, NEW.complained - OLD.complained, NEW.failed - OLD.failed, NEW.expired - OLD.expired, NEW.suppressed - OLD.suppressed, NEW.cancelled - OLD.cancelled),
    (0, NEW.lane, NEW.sent - OLD.sent, NEW.delivered - OLD.delivered, NEW.bounced - OLD.bounced, NEW.complained - OLD.complained, NEW.failed - OLD.failed, NEW.expired - OLD.expired, NEW.suppressed - OLD.suppressed, NEW.cancelled - OLD.cancelled)
  ON CONFLICT (company_id, lane) DO UPDATE SET sent = sent + excluded.sent,
    delivered = delivered + excluded.delivered,
    bounced = bounced + excluded.bounced,
    complained = complained + excluded.complained,
    failed = failed + excluded.failed,
    expired = expired + excluded.expired,
    suppressed = suppressed + excluded.suppressed,
    cancelled = cancelled + excluded.cancelled;
END;
