-- Once a copy of the mail library, which is loaded as content-addressed rows since (docs/decisions/load-the-mail-library-by-content.md).
-- The name stays: databases that applied the copy list it.
SELECT 1;
