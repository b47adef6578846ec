-- How many companies there are: the total `companies` of company 0 in counters, so that the list of all needs no count.
INSERT INTO counters (company_id, name, label, value) SELECT 0, 'companies', '', count(*) FROM companies;
--> statement-breakpoint
CREATE TRIGGER companies_inserted AFTER INSERT ON companies
BEGIN
  UPDATE counters SET value = value + 1 WHERE company_id = 0 AND name = 'companies' AND label = '';
END;
--> statement-breakpoint
CREATE TRIGGER companies_deleted AFTER DELETE ON companies
BEGIN
  UPDATE counters SET value = value - 1 WHERE company_id = 0 AND name = 'companies' AND label = '';
END;
