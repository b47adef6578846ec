-- What a sign-in writes, in fewer rows.
-- Tables whose key is text are WITHOUT ROWID: a row is one b-tree entry and not two. What was purged by an index of its own is
-- now found by its time-ordered key (sessions, requests, mails) or by company and time (codes, states).
-- The mail of a link stands in the row of its request. seen_days becomes a JSON object in company_totals, and the totals of
-- sign-ins become another one, which is folded from the event log. seen_days and the totals in counters stay as they were for
-- the code of before, which reads them; a later migration drops them.
DROP TRIGGER identities_deleted;
--> statement-breakpoint
DROP TRIGGER identities_inserted;
--> statement-breakpoint
DROP TRIGGER memberships_deleted;
--> statement-breakpoint
DROP TRIGGER memberships_first_seen;
--> statement-breakpoint
DROP TRIGGER memberships_inserted;
--> statement-breakpoint
DROP TRIGGER memberships_moved;
--> statement-breakpoint
DROP TRIGGER memberships_seen;
--> statement-breakpoint
DROP TRIGGER users_deleted;
--> statement-breakpoint
DROP TRIGGER users_deleting;
--> statement-breakpoint
DROP TRIGGER users_inserted;
--> statement-breakpoint
DROP TRIGGER users_moved;
--> statement-breakpoint
DROP TRIGGER users_seen;
--> statement-breakpoint
CREATE TABLE `__new_sign_in_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`code_hash` text,
	`code_tries` integer DEFAULT 0 NOT NULL,
	`redirect_to` text NOT NULL,
	`token_delivery` text NOT NULL,
	`code_challenge` text,
	`language` text NOT NULL,
	`client_timezone` text DEFAULT '' NOT NULL,
	`device_hash` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	`consume_nonce` text,
	`mail_sealed` text,
	`mail_state` text,
	`mail_attempts` integer DEFAULT 0 NOT NULL,
	`mail_next_at` integer,
	`mail_deadline_at` integer,
	`mail_locked_until` integer,
	`mail_lease` text,
	`mail_error` text,
	`mail_request_id` text
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_sign_in_requests` (`id`, `company_id`, `user_id`, `email`, `token_hash`, `code_hash`, `code_tries`, `redirect_to`, `token_delivery`, `code_challenge`, `language`, `client_timezone`, `device_hash`, `created_at`, `expires_at`, `consumed_at`, `consume_nonce`)
SELECT `id`, `company_id`, `user_id`, `email`, `token_hash`, `code_hash`, `code_tries`, `redirect_to`, `token_delivery`, `code_challenge`, `language`, `client_timezone`, `device_hash`, `created_at`, `expires_at`, `consumed_at`, `consume_nonce` FROM `sign_in_requests`;
--> statement-breakpoint
DROP TABLE `sign_in_requests`;
--> statement-breakpoint
ALTER TABLE `__new_sign_in_requests` RENAME TO `sign_in_requests`;
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_requests_token_hash_unique` ON `sign_in_requests` (`token_hash`);
--> statement-breakpoint
CREATE INDEX `sign_in_requests_address` ON `sign_in_requests` (`email`,`company_id`,`expires_at`);
--> statement-breakpoint
CREATE INDEX `sign_in_requests_mail` ON `sign_in_requests` (`mail_next_at`) WHERE mail_state = 'waiting';
--> statement-breakpoint
CREATE TABLE `__new_auth_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`redirect_to` text NOT NULL,
	`redirect_key` text NOT NULL,
	`code_challenge` text,
	`auth_time` integer NOT NULL,
	`client_context` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`redeemed_at` integer,
	`redeem_nonce` text
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_auth_codes` (`code_hash`, `user_id`, `company_id`, `provider`, `redirect_to`, `redirect_key`, `code_challenge`, `auth_time`, `client_context`, `created_at`, `expires_at`, `redeemed_at`, `redeem_nonce`)
SELECT `code_hash`, `user_id`, `company_id`, `provider`, `redirect_to`, `redirect_key`, `code_challenge`, `auth_time`, `client_context`, `created_at`, `expires_at`, `redeemed_at`, `redeem_nonce` FROM `auth_codes`;
--> statement-breakpoint
DROP TABLE `auth_codes`;
--> statement-breakpoint
ALTER TABLE `__new_auth_codes` RENAME TO `auth_codes`;
--> statement-breakpoint
CREATE INDEX `auth_codes_company` ON `auth_codes` (`company_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `__new_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`counter` integer DEFAULT 0 NOT NULL,
	`auth_time` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`idle_expires_at` integer NOT NULL,
	`absolute_expires_at` integer NOT NULL,
	`revoked_at` integer,
	`revoke_reason` text,
	`country` text,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_sessions` (`id`, `user_id`, `company_id`, `provider`, `counter`, `auth_time`, `rotated_at`, `idle_expires_at`, `absolute_expires_at`, `revoked_at`, `revoke_reason`, `country`, `user_agent`, `created_at`)
SELECT `id`, `user_id`, `company_id`, `provider`, `counter`, `auth_time`, `rotated_at`, `idle_expires_at`, `absolute_expires_at`, `revoked_at`, `revoke_reason`, `country`, `user_agent`, `created_at` FROM `sessions`;
--> statement-breakpoint
DROP TABLE `sessions`;
--> statement-breakpoint
ALTER TABLE `__new_sessions` RENAME TO `sessions`;
--> statement-breakpoint
CREATE INDEX `sessions_user_company` ON `sessions` (`user_id`,`company_id`);
--> statement-breakpoint
CREATE TABLE `__new_oauth_redirects` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`base_url` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`source` text DEFAULT 'manual' NOT NULL,
	`is_active` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_oauth_redirects` (`id`, `company_id`, `base_url`, `label`, `source`, `is_active`, `created_at`)
SELECT `id`, `company_id`, `base_url`, `label`, `source`, `is_active`, `created_at` FROM `oauth_redirects`;
--> statement-breakpoint
DROP TABLE `oauth_redirects`;
--> statement-breakpoint
ALTER TABLE `__new_oauth_redirects` RENAME TO `oauth_redirects`;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_redirects_origin` ON `oauth_redirects` (`company_id`,`base_url`);
--> statement-breakpoint
CREATE INDEX `oauth_redirects_oldest` ON `oauth_redirects` (`company_id`,`created_at`,`id`);
--> statement-breakpoint
CREATE TABLE `__new_oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`provider` text NOT NULL,
	`provider_id` text NOT NULL,
	`label` text DEFAULT '' NOT NULL,
	`client_id` text NOT NULL,
	`config` text DEFAULT '{}' NOT NULL,
	`secret_sealed` text,
	`is_active` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_oauth_clients` (`id`, `company_id`, `provider`, `provider_id`, `label`, `client_id`, `config`, `secret_sealed`, `is_active`, `created_at`, `updated_at`)
SELECT `id`, `company_id`, `provider`, `provider_id`, `label`, `client_id`, `config`, `secret_sealed`, `is_active`, `created_at`, `updated_at` FROM `oauth_clients`;
--> statement-breakpoint
DROP TABLE `oauth_clients`;
--> statement-breakpoint
ALTER TABLE `__new_oauth_clients` RENAME TO `oauth_clients`;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_clients_provider` ON `oauth_clients` (`company_id`,`provider_id`);
--> statement-breakpoint
CREATE TABLE `__new_oauth_states` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`cookie_hash` text NOT NULL,
	`company_id` integer NOT NULL,
	`client_id` text NOT NULL,
	`redirect_to` text NOT NULL,
	`token_delivery` text NOT NULL,
	`code_challenge` text,
	`sealed` text NOT NULL,
	`client_context` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`use_nonce` text
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_oauth_states` (`state_hash`, `cookie_hash`, `company_id`, `client_id`, `redirect_to`, `token_delivery`, `code_challenge`, `sealed`, `client_context`, `created_at`, `expires_at`, `used_at`, `use_nonce`)
SELECT `state_hash`, `cookie_hash`, `company_id`, `client_id`, `redirect_to`, `token_delivery`, `code_challenge`, `sealed`, `client_context`, `created_at`, `expires_at`, `used_at`, `use_nonce` FROM `oauth_states`;
--> statement-breakpoint
DROP TABLE `oauth_states`;
--> statement-breakpoint
ALTER TABLE `__new_oauth_states` RENAME TO `oauth_states`;
--> statement-breakpoint
CREATE INDEX `oauth_states_company` ON `oauth_states` (`company_id`,`created_at`);
--> statement-breakpoint
CREATE TABLE `__new_identities` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`provider` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`company_id` integer DEFAULT 0 NOT NULL,
	`email` text NOT NULL,
	`email_proven` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_identities` (`id`, `user_id`, `provider`, `issuer`, `subject`, `company_id`, `email`, `email_proven`, `created_at`, `last_used_at`)
SELECT `id`, `user_id`, `provider`, `issuer`, `subject`, `company_id`, `email`, `email_proven`, `created_at`, `last_used_at` FROM `identities`;
--> statement-breakpoint
DROP TABLE `identities`;
--> statement-breakpoint
ALTER TABLE `__new_identities` RENAME TO `identities`;
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`provider`,`issuer`,`subject`,`company_id`);
--> statement-breakpoint
CREATE INDEX `identities_user` ON `identities` (`user_id`);
--> statement-breakpoint
CREATE TABLE `__new_personal_access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`jti` text NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`read_only` integer DEFAULT 0 NOT NULL,
	`access_global_metrics` integer DEFAULT 0 NOT NULL,
	`agm_set_by` integer,
	`parent_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`last_used_network` text,
	`use_count` integer DEFAULT 0 NOT NULL,
	`revoked_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_personal_access_tokens` (`id`, `company_id`, `user_id`, `jti`, `name`, `read_only`, `access_global_metrics`, `agm_set_by`, `parent_id`, `created_at`, `expires_at`, `last_used_at`, `last_used_network`, `use_count`, `revoked_at`)
SELECT `id`, `company_id`, `user_id`, `jti`, `name`, `read_only`, `access_global_metrics`, `agm_set_by`, `parent_id`, `created_at`, `expires_at`, `last_used_at`, `last_used_network`, `use_count`, `revoked_at` FROM `personal_access_tokens`;
--> statement-breakpoint
DROP TABLE `personal_access_tokens`;
--> statement-breakpoint
ALTER TABLE `__new_personal_access_tokens` RENAME TO `personal_access_tokens`;
--> statement-breakpoint
CREATE UNIQUE INDEX `personal_access_tokens_jti_unique` ON `personal_access_tokens` (`jti`);
--> statement-breakpoint
CREATE INDEX `personal_access_tokens_user` ON `personal_access_tokens` (`company_id`,`user_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `personal_access_tokens_parent` ON `personal_access_tokens` (`parent_id`) WHERE parent_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `personal_access_tokens_expires` ON `personal_access_tokens` (`expires_at`);
--> statement-breakpoint
CREATE INDEX `personal_access_tokens_revoked` ON `personal_access_tokens` (`revoked_at`) WHERE revoked_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `personal_access_tokens_live` ON `personal_access_tokens` (`company_id`,`user_id`,`expires_at`) WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE TABLE `__new_mail_outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`kind` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`sealed` text,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`locked_until` integer,
	`lease` text,
	`last_error` text,
	`request_id` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_mail_outbox` (`id`, `company_id`, `kind`, `idempotency_key`, `sealed`, `state`, `attempts`, `next_at`, `deadline_at`, `locked_until`, `lease`, `last_error`, `request_id`, `created_at`)
SELECT `id`, `company_id`, `kind`, `idempotency_key`, `sealed`, `state`, `attempts`, `next_at`, `deadline_at`, `locked_until`, `lease`, `last_error`, `request_id`, `created_at` FROM `mail_outbox`;
--> statement-breakpoint
DROP TABLE `mail_outbox`;
--> statement-breakpoint
ALTER TABLE `__new_mail_outbox` RENAME TO `mail_outbox`;
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_outbox_idempotency_key_unique` ON `mail_outbox` (`idempotency_key`);
--> statement-breakpoint
CREATE INDEX `mail_outbox_company` ON `mail_outbox` (`company_id`);
--> statement-breakpoint
CREATE INDEX `mail_outbox_due` ON `mail_outbox` (`next_at`) WHERE state = 'waiting';
--> statement-breakpoint
ALTER TABLE `company_totals` ADD `seen` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE `company_totals` ADD `counts` text DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE `company_totals` ADD `folded_until` integer;
--> statement-breakpoint
INSERT INTO company_totals (company_id) SELECT DISTINCT company_id FROM counters WHERE company_id > 0 ON CONFLICT DO NOTHING;
--> statement-breakpoint
UPDATE company_totals SET
  seen = (SELECT json_group_object(CAST(s.day AS TEXT), s.people) FROM seen_days s
    WHERE s.company_id = company_totals.company_id AND s.people > 0),
  counts = (SELECT json_group_object(c.name || iif(c.label = '', '', ':' || c.label), c.value) FROM counters c
    WHERE c.company_id = company_totals.company_id AND c.company_id > 0);
--> statement-breakpoint
-- A link is used for a sign-in, or for a code: what was used without a sign-in is kept, less the codes that are still there.
UPDATE company_totals SET counts = json_remove(json_set(counts, '$.links_without_login', max(0, (counts ->> '$.magic_links_consumed')
    - coalesce((SELECT j.value FROM json_each(counts) j WHERE j.key = 'successful_logins:magic_link'), 0)
    - (SELECT count(*) FROM auth_codes c
      WHERE c.company_id = company_totals.company_id AND c.provider = 'magic_link' AND c.redeem_nonce IS NULL))),
  '$.magic_links_consumed')
WHERE counts ->> '$.magic_links_consumed' IS NOT NULL;
--> statement-breakpoint
-- What the code of before adds to counters from here on is in the log as well, and is folded from there.
INSERT INTO company_totals (company_id, folded_until) VALUES (0, CAST(unixepoch('subsec') * 1000 AS INTEGER))
ON CONFLICT (company_id) DO UPDATE SET folded_until = excluded.folded_until;
--> statement-breakpoint
CREATE TRIGGER memberships_inserted AFTER INSERT ON memberships
BEGIN
  INSERT INTO company_totals (company_id, members, allowed, staff, identities, seen)
  SELECT NEW.company_id, 1, NEW.state = 'allowed', u.is_staff,
    (SELECT count(*) FROM identities i WHERE i.user_id = u.id AND i.company_id IN (0, NEW.company_id)),
    iif(NEW.last_seen_at IS NULL, '{}', json_object(CAST(NEW.last_seen_at / 86400000 AS TEXT), 1))
  FROM users u WHERE u.id = NEW.user_id
  ON CONFLICT (company_id) DO UPDATE SET members = members + 1, allowed = allowed + excluded.allowed,
    staff = staff + excluded.staff, identities = identities + excluded.identities,
    seen = iif(NEW.last_seen_at IS NULL, seen, (SELECT json_group_object(CAST(day AS TEXT), people) FROM (
        SELECT day, sum(people) AS people FROM (SELECT CAST(key AS INTEGER) AS day, value AS people FROM json_each(company_totals.seen)
          UNION ALL SELECT NEW.last_seen_at / 86400000, 1)
        GROUP BY day) WHERE people > 0 AND day > NEW.last_seen_at / 86400000 - 40));
  UPDATE users SET last_seen_at = NEW.last_seen_at
  WHERE id = NEW.user_id AND NEW.last_seen_at IS NOT NULL
    AND (last_seen_at IS NULL OR last_seen_at / 86400000 < NEW.last_seen_at / 86400000);
END;
--> statement-breakpoint
CREATE TRIGGER memberships_deleted AFTER DELETE ON memberships
BEGIN
  UPDATE company_totals SET members = members - 1, allowed = allowed - (OLD.state = 'allowed'),
    staff = staff - (SELECT is_staff FROM users WHERE id = OLD.user_id),
    identities = identities -
      (SELECT count(*) FROM identities i WHERE i.user_id = OLD.user_id AND i.company_id IN (0, OLD.company_id)),
    seen = iif(OLD.last_seen_at IS NULL, seen, (SELECT json_group_object(CAST(day AS TEXT), people) FROM (
        SELECT day, sum(people) AS people FROM (SELECT CAST(key AS INTEGER) AS day, value AS people FROM json_each(company_totals.seen)
          UNION ALL SELECT OLD.last_seen_at / 86400000, -1)
        GROUP BY day) WHERE people > 0))
  WHERE company_id = OLD.company_id;
END;
--> statement-breakpoint
CREATE TRIGGER memberships_moved AFTER UPDATE OF state ON memberships WHEN OLD.state <> NEW.state
BEGIN
  UPDATE company_totals SET allowed = allowed + (NEW.state = 'allowed') - (OLD.state = 'allowed')
  WHERE company_id = NEW.company_id;
END;
--> statement-breakpoint
-- A person stands in one day of a company: the one on which it saw them last. Days that no figure counts any more go on the way.
CREATE TRIGGER memberships_seen AFTER UPDATE OF last_seen_at ON memberships
WHEN NEW.last_seen_at / 86400000 IS NOT OLD.last_seen_at / 86400000 AND NEW.last_seen_at IS NOT NULL
BEGIN
  UPDATE company_totals SET seen = (SELECT json_group_object(CAST(day AS TEXT), people) FROM (
      SELECT day, sum(people) AS people FROM (SELECT CAST(key AS INTEGER) AS day, value AS people FROM json_each(company_totals.seen)
        UNION ALL SELECT OLD.last_seen_at / 86400000, -1
        UNION ALL SELECT NEW.last_seen_at / 86400000, 1)
      GROUP BY day) WHERE people > 0 AND day > NEW.last_seen_at / 86400000 - 40)
  WHERE company_id = NEW.company_id;
  UPDATE users SET last_seen_at = NEW.last_seen_at
  WHERE id = NEW.user_id AND (last_seen_at IS NULL OR last_seen_at / 86400000 < NEW.last_seen_at / 86400000);
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
  UPDATE company_totals SET members = members - 1, allowed = allowed - OLD.is_active, staff = staff - OLD.is_staff,
    seen = iif(OLD.last_seen_at IS NULL, seen, (SELECT json_group_object(CAST(day AS TEXT), people) FROM (
        SELECT day, sum(people) AS people FROM (SELECT CAST(key AS INTEGER) AS day, value AS people FROM json_each(company_totals.seen)
          UNION ALL SELECT OLD.last_seen_at / 86400000, -1)
        GROUP BY day) WHERE people > 0))
  WHERE company_id = 0;
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
WHEN NEW.last_seen_at / 86400000 IS NOT OLD.last_seen_at / 86400000 AND NEW.last_seen_at IS NOT NULL
BEGIN
  UPDATE company_totals SET seen = (SELECT json_group_object(CAST(day AS TEXT), people) FROM (
      SELECT day, sum(people) AS people FROM (SELECT CAST(key AS INTEGER) AS day, value AS people FROM json_each(company_totals.seen)
        UNION ALL SELECT OLD.last_seen_at / 86400000, -1
        UNION ALL SELECT NEW.last_seen_at / 86400000, 1)
      GROUP BY day) WHERE people > 0 AND day > NEW.last_seen_at / 86400000 - 40)
  WHERE company_id = 0;
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
--> statement-breakpoint
-- A link that was used for a code is counted by that code, then by the sign-in of who redeems it; without one, here.
CREATE TRIGGER auth_codes_deleted AFTER DELETE ON auth_codes WHEN OLD.provider = 'magic_link' AND OLD.redeem_nonce IS NULL
BEGIN
  UPDATE company_totals
  SET counts = json_set(counts, '$.links_without_login', coalesce(counts ->> '$.links_without_login', 0) + 1)
  WHERE company_id = OLD.company_id;
END;