-- The search in members: an FTS5 table of the trigrams of what a company sees of a person. Its rowid is the company and the
-- user, 32 bits each, so that a search reads the members of one company, newest id first. A user name that is the address is
-- not kept twice. Kept by triggers that fire where an address or a name changes; signing in changes none.
CREATE VIRTUAL TABLE user_search USING fts5(email, username, name, tokenize = 'trigram');
--> statement-breakpoint
-- What is deleted leaves no trace in the index.
INSERT INTO user_search (user_search, rank) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE VIEW user_search_rows AS
SELECT (m.company_id << 32) | m.user_id AS id, u.email, iif(u.username = u.email, '', u.username) AS username,
  coalesce(m.profile ->> '$.first_name', u.first_name) || ' ' || coalesce(m.profile ->> '$.last_name', u.last_name) AS name,
  m.company_id, m.user_id
FROM memberships m JOIN users u ON u.id = m.user_id;
--> statement-breakpoint
INSERT INTO user_search (rowid, email, username, name) SELECT id, email, username, name FROM user_search_rows;
--> statement-breakpoint
CREATE TRIGGER user_search_joined AFTER INSERT ON memberships
BEGIN
  INSERT INTO user_search (rowid, email, username, name) SELECT id, email, username, name FROM user_search_rows
  WHERE company_id = NEW.company_id AND user_id = NEW.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER user_search_left AFTER DELETE ON memberships
BEGIN
  DELETE FROM user_search WHERE rowid = (OLD.company_id << 32) | OLD.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER user_search_named AFTER UPDATE OF profile ON memberships
WHEN OLD.profile ->> '$.first_name' IS NOT NEW.profile ->> '$.first_name'
  OR OLD.profile ->> '$.last_name' IS NOT NEW.profile ->> '$.last_name'
BEGIN
  DELETE FROM user_search WHERE rowid = (NEW.company_id << 32) | NEW.user_id;
  INSERT INTO user_search (rowid, email, username, name) SELECT id, email, username, name FROM user_search_rows
  WHERE company_id = NEW.company_id AND user_id = NEW.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER user_search_changed AFTER UPDATE OF email, username, first_name, last_name ON users
WHEN OLD.email <> NEW.email OR OLD.username <> NEW.username
  OR OLD.first_name <> NEW.first_name OR OLD.last_name <> NEW.last_name
BEGIN
  DELETE FROM user_search WHERE rowid IN (SELECT (company_id << 32) | user_id FROM memberships WHERE user_id = NEW.id);
  INSERT INTO user_search (rowid, email, username, name) SELECT id, email, username, name FROM user_search_rows
  WHERE user_id = NEW.id;
END;
