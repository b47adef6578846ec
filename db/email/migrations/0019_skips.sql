ALTER TABLE `decisions` ADD `is_skip` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Of what is kept, the first of each request; whether another of its rules made mail was not kept.
UPDATE decisions SET is_skip = 1 WHERE reason IN ('no_rule', 'no_recipients')
  AND id IN (SELECT min(id) FROM decisions GROUP BY company_id, request_id);
