CREATE TABLE `figure_hours` (
	`company_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`name` text NOT NULL,
	`a` text NOT NULL,
	`b` text DEFAULT '' NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`company_id`, `hour`, `name`, `a`, `b`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO figure_hours (company_id, hour, name, a, b, n)
SELECT company_id, 0, 'suppressions', reason, '', count(*) FROM suppressions GROUP BY 1, 4
UNION ALL SELECT 0, 0, 'suppressions', reason, '', count(*) FROM suppressions GROUP BY 4;
--> statement-breakpoint
CREATE TRIGGER suppressions_inserted AFTER INSERT ON suppressions
BEGIN
  INSERT INTO figure_hours (company_id, hour, name, a, b, n)
  VALUES (NEW.company_id, 0, 'suppressions', NEW.reason, '', 1), (0, 0, 'suppressions', NEW.reason, '', 1)
  ON CONFLICT (company_id, hour, name, a, b) DO UPDATE SET n = n + excluded.n;
END;
--> statement-breakpoint
CREATE TRIGGER suppressions_deleted AFTER DELETE ON suppressions
BEGIN
  UPDATE figure_hours SET n = n - 1
  WHERE company_id IN (OLD.company_id, 0) AND hour = 0 AND name = 'suppressions' AND a = OLD.reason AND b = '';
END;
