-- Totals of people, kept where they change, so that no reader counts rows and no writer can forget to count.
-- company_totals: one row a company; company 0 counts users over all companies.
-- seen_days: how many people were last seen on a UTC day; a person is in one bucket a company, and in one of company 0.
INSERT INTO company_totals (company_id, members, allowed, staff, identities)
SELECT m.company_id, count(*), sum(m.state = 'allowed'), sum(u.is_staff), 0
FROM memberships m JOIN users u ON u.id = m.user_id GROUP BY m.company_id;
--> statement-breakpoint
INSERT INTO company_totals (company_id, members, allowed, staff, identities)
SELECT 0, count(*), coalesce(sum(is_active), 0), coalesce(sum(is_staff), 0), 0 FROM users;
--> statement-breakpoint
UPDATE users SET last_seen_at = (SELECT max(m.last_seen_at) FROM memberships m WHERE m.user_id = users.id);
--> statement-breakpoint
INSERT INTO seen_days (company_id, day, people)
SELECT company_id, last_seen_at / 86400000, count(*) FROM memberships WHERE last_seen_at IS NOT NULL GROUP BY 1, 2;
--> statement-breakpoint
INSERT INTO seen_days (company_id, day, people)
SELECT 0, last_seen_at / 86400000, count(*) FROM users WHERE last_seen_at IS NOT NULL GROUP BY 2;
--> statement-breakpoint
CREATE TRIGGER memberships_inserted AFTER INSERT ON memberships
BEGIN
  INSERT INTO company_totals (company_id, members, allowed, staff, identities)
  SELECT NEW.company_id, 1, NEW.state = 'allowed', u.is_staff,
    (SELECT count(*) FROM identities i WHERE i.user_id = u.id AND i.company_id IN (0, NEW.company_id))
  FROM users u WHERE u.id = NEW.user_id
  ON CONFLICT (company_id) DO UPDATE SET members = members + 1, allowed = allowed + excluded.allowed,
    staff = staff + excluded.staff, identities = identities + excluded.identities;
END;
--> statement-breakpoint
CREATE TRIGGER memberships_deleted AFTER DELETE ON memberships
BEGIN
  UPDATE company_totals SET members = members - 1, allowed = allowed - (OLD.state = 'allowed'),
    staff = staff - (SELECT is_staff FROM users WHERE id = OLD.user_id),
    identities = identities -
      (SELECT count(*) FROM identities i WHERE i.user_id = OLD.user_id AND i.company_id IN (0, OLD.company_id))
  WHERE company_id = OLD.company_id;
  UPDATE seen_days SET people = people - 1
  WHERE company_id = OLD.company_id AND day = OLD.last_seen_at / 86400000;
END;
--> statement-breakpoint
CREATE TRIGGER memberships_moved AFTER UPDATE OF state ON memberships WHEN OLD.state <> NEW.state
BEGIN
  UPDATE company_totals SET allowed = allowed + (NEW.state = 'allowed') - (OLD.state = 'allowed')
  WHERE company_id = NEW.company_id;
END;
--> statement-breakpoint
CREATE TRIGGER memberships_first_seen AFTER INSERT ON memberships WHEN NEW.last_seen_at IS NOT NULL
BEGIN
  INSERT INTO seen_days (company_id, day, people) VALUES (NEW.company_id, NEW.last_seen_at / 86400000, 1)
  ON CONFLICT (company_id, day) DO UPDATE SET people = people + 1;
  UPDATE users SET last_seen_at = NEW.last_seen_at
  WHERE id = NEW.user_id AND (last_seen_at IS NULL OR last_seen_at < NEW.last_seen_at);
END;
--> statement-breakpoint
CREATE TRIGGER memberships_seen AFTER UPDATE OF last_seen_at ON memberships WHEN NEW.last_seen_at IS NOT OLD.last_seen_at
BEGIN
  UPDATE seen_days SET people = people - 1
  WHERE company_id = OLD.company_id AND day = OLD.last_seen_at / 86400000
    AND NEW.last_seen_at / 86400000 <> OLD.last_seen_at / 86400000;
  INSERT INTO seen_days (company_id, day, people)
  SELECT NEW.company_id, NEW.last_seen_at / 86400000, 1
  WHERE NEW.last_seen_at IS NOT NULL AND NEW.last_seen_at / 86400000 IS NOT OLD.last_seen_at / 86400000
  ON CONFLICT (company_id, day) DO UPDATE SET people = people + 1;
  UPDATE users SET last_seen_at = NEW.last_seen_at
  WHERE id = NEW.user_id AND (last_seen_at IS NULL OR last_seen_at < NEW.last_seen_at);
END;
--> statement-breakpoint
CREATE TRIGGER users_inserted AFTER INSERT ON users
BEGIN
  INSERT INTO company_totals (company_id, members, allowed, staff) VALUES (0, 1, NEW.is_active, NEW.is_staff)
  ON CONFLICT (company_id) DO UPDATE SET members = members + 1, allowed = allowed + excluded.allowed,
    staff = staff + excluded.staff;
END;
--> statement-breakpoint
-- Memberships and identities go first, so that their totals are taken off while the user can still be read.
CREATE TRIGGER users_deleting BEFORE DELETE ON users
BEGIN
  DELETE FROM memberships WHERE user_id = OLD.id;
  DELETE FROM identities WHERE user_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER users_deleted AFTER DELETE ON users
BEGIN
  UPDATE company_totals SET members = members - 1, allowed = allowed - OLD.is_active, staff = staff - OLD.is_staff
  WHERE company_id = 0;
  UPDATE seen_days SET people = people - 1 WHERE company_id = 0 AND day = OLD.last_seen_at / 86400000;
END;
--> statement-breakpoint
CREATE TRIGGER users_moved AFTER UPDATE OF is_active, is_staff ON users
WHEN OLD.is_active <> NEW.is_active OR OLD.is_staff <> NEW.is_staff
BEGIN
  UPDATE company_totals SET allowed = allowed + NEW.is_active - OLD.is_active, staff = staff + NEW.is_staff - OLD.is_staff
  WHERE company_id = 0;
  UPDATE company_totals SET staff = staff + NEW.is_staff - OLD.is_staff
  WHERE company_id IN (SELECT company_id FROM memberships WHERE user_id = NEW.id);
END;
--> statement-breakpoint
CREATE TRIGGER users_seen AFTER UPDATE OF last_seen_at ON users
WHEN NEW.last_seen_at / 86400000 IS NOT OLD.last_seen_at / 86400000
BEGIN
  UPDATE seen_days SET people = people - 1 WHERE company_id = 0 AND day = OLD.last_seen_at / 86400000;
  INSERT INTO seen_days (company_id, day, people) SELECT 0, NEW.last_seen_at / 86400000, 1
  WHERE NEW.last_seen_at IS NOT NULL
  ON CONFLICT (company_id, day) DO UPDATE SET people = people + 1;
END;
--> statement-breakpoint
CREATE TRIGGER identities_inserted AFTER INSERT ON identities
BEGIN
  UPDATE company_totals SET identities = identities + 1
  WHERE company_id = 0 OR company_id IN (SELECT m.company_id FROM memberships m
    WHERE m.user_id = NEW.user_id AND NEW.company_id IN (0, m.company_id));
END;
--> statement-breakpoint
CREATE TRIGGER identities_deleted AFTER DELETE ON identities
BEGIN
  UPDATE company_totals SET identities = identities - 1
  WHERE company_id = 0 OR company_id IN (SELECT m.company_id FROM memberships m
    WHERE m.user_id = OLD.user_id AND OLD.company_id IN (0, m.company_id));
END;
