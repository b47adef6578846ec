import { sql } from "../../kit/db";
import type { CompanyRow } from "../account/person.store";

/** A company with the ids of its owners, a JSON array. */
export type OwnedCompanyRow = CompanyRow & { owners: string };

const columns = `c.*, (SELECT json_group_array(o.user_id) FROM (SELECT m.user_id FROM memberships m
  WHERE m.company_id = c.id AND m.is_owner = 1 AND m.state = 'allowed' ORDER BY m.user_id) o) AS owners`;

/** (company): the company with its owners. */
export const findOwnedCompany = sql(`SELECT ${columns} FROM companies c WHERE c.id = ?1`);

/** (limit, offset): a page of all companies, newest first. */
export const listCompanies = sql(
  `SELECT ${columns} FROM companies c WHERE c.id > 0 ORDER BY c.id DESC LIMIT ?1 OFFSET ?2`,
);

/** How many companies there are; kept by the triggers of the migration `company_count`. */
export const countCompanies = sql(
  "SELECT value AS count FROM counters WHERE company_id = 0 AND name = 'companies' AND label = ''",
);

// A new company is keyed by the event that reports it: a batch that is repeated after a lost connection adds nothing, and
// every other statement of it finds the company by that event.

/**
 * (event id, name, slugs as JSON, access mode, domains, retention days, now, owner addresses as JSON, staff too 0/1): a
 * company with the first slug that is free. Nothing when none is, or when an owner is a staff account, which only a
 * command lets in (details 5).
 */
export const insertCompany = sql(
  `INSERT INTO companies (name, slug, access_mode, allowed_email_domains, data_retention_days, created_at, updated_at)
   SELECT ?2, s.value, ?4, ?5, ?6, ?7, ?7
   FROM (SELECT j.value FROM json_each(?3) j WHERE NOT EXISTS (SELECT 1 FROM companies c WHERE c.slug = j.value)
     ORDER BY j.key LIMIT 1) s
   WHERE NOT EXISTS (SELECT 1 FROM event_log WHERE event_id = ?1)
     AND NOT EXISTS (SELECT 1 FROM json_each(?8) j CROSS JOIN users u ON u.email = j.value
       WHERE u.is_staff = 1 AND ?9 = 0)`,
);

/** (event id, actor's user id?, data, actor, now): the audit entry of the company that was inserted right before. */
export const insertCompanyEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT ?1, last_insert_rowid(), 'identity.company.created', ?2, (SELECT email FROM users WHERE id = ?2), ?3, ?4, ?5
   WHERE changes() > 0 ON CONFLICT DO NOTHING`,
);

/** (event id, email, now, user name candidates 1 to 4): the account of an owner who has none; the address is not proven. */
export const createOwner = sql(
  `INSERT INTO users (email, username, created_at, updated_at)
   SELECT ?2, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?4) THEN ?4
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?6) THEN ?6 ELSE ?7 END, ?3, ?3
   WHERE EXISTS (SELECT 1 FROM event_log WHERE event_id = ?1) ON CONFLICT(email) DO NOTHING`,
);

/** (event id, now, owner addresses as JSON, staff too 0/1): lets the owners in. */
export const admitOwners = sql(
  `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, is_owner, created_at)
   SELECT e.company_id, u.id, 'allowed', 'admin', ?2, 1, ?2
   FROM event_log e CROSS JOIN json_each(?3) j CROSS JOIN users u ON u.email = j.value
   WHERE e.event_id = ?1 AND (u.is_staff = 0 OR ?4 = 1) ON CONFLICT DO NOTHING`,
);

/** (event id, now, [{email, event_id}] as JSON, actor, source): `identity.user.created` of the owners whose account is new. */
export const insertOwnersCreated = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT j.value ->> '$.event_id', e.company_id, 'identity.user.created', u.id, u.email,
     json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', ?5, 'language', 'en',
       'region', 'UTC'), ?4, ?2
   FROM event_log e CROSS JOIN json_each(?3) j CROSS JOIN users u ON u.email = j.value ->> '$.email'
   WHERE e.event_id = ?1 AND u.created_at = ?2
     AND NOT EXISTS (SELECT 1 FROM event_log o WHERE o.user_id = u.id AND o.event_type = 'identity.user.created')
   ON CONFLICT DO NOTHING`,
);

/** (event id, now, [{id, origin}] as JSON): the first rows of the redirect allowlist. */
export const insertOrigins = sql(
  `INSERT INTO oauth_redirects (id, company_id, base_url, created_at)
   SELECT j.value ->> '$.id', e.company_id, j.value ->> '$.origin', ?2
   FROM event_log e CROSS JOIN json_each(?3) j WHERE e.event_id = ?1 ON CONFLICT DO NOTHING`,
);

/** (event id): the company that the event reports. */
export const findCompanyOfEvent = sql(
  `SELECT ${columns} FROM event_log e CROSS JOIN companies c ON c.id = e.company_id WHERE e.event_id = ?1`,
);

/** (owner addresses as JSON): which of them are staff accounts. */
export const findStaffAmong = sql(
  "SELECT u.email FROM json_each(?1) j CROSS JOIN users u ON u.email = j.value WHERE u.is_staff = 1",
);

// A complete list of owners holds only members who are let in; null leaves the owners as they are.
const mayOwn = (
  ids: string,
) => `(${ids} IS NULL OR json_array_length(${ids}) = (SELECT count(*) FROM json_each(${ids}) j
  CROSS JOIN memberships m ON m.company_id = ?1 AND m.user_id = j.value WHERE m.state = 'allowed'))`;

/**
 * (company, now, name?, slug?, access mode?, domains?, active?, retention days?, owner ids as JSON?): null keeps. Nothing
 * when an owner is no member who is let in. A slug that is taken breaks the constraint, and with it the whole batch.
 */
export const changeCompany = sql(
  `UPDATE companies SET updated_at = ?2, name = coalesce(?3, name), slug = coalesce(?4, slug),
     access_mode = coalesce(?5, access_mode), allowed_email_domains = coalesce(?6, allowed_email_domains),
     is_active = coalesce(?7, is_active), data_retention_days = coalesce(?8, data_retention_days)
   WHERE id = ?1 AND ${mayOwn("?9")}`,
);

/** (company, owner ids as JSON): makes the listed members owners. */
export const addOwners = sql(
  `UPDATE memberships SET is_owner = 1
   WHERE company_id = ?1 AND user_id IN (SELECT value FROM json_each(?2)) AND is_owner = 0 AND ${mayOwn("?2")}`,
);

/** (company, owner ids as JSON): ends the ownership of everybody else. */
export const removeOtherOwners = sql(
  `UPDATE memberships SET is_owner = 0
   WHERE company_id = ?1 AND is_owner = 1 AND user_id NOT IN (SELECT value FROM json_each(?2)) AND ${mayOwn("?2")}`,
);

/**
 * ([{user_id, event_id}] as JSON, company, actor, now): `identity.user.updated` of those who became owners or ceased to be,
 * right behind the entry of the change.
 */
export const insertOwnersChanged = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT j.value ->> '$.event_id', ?2, 'identity.user.updated', u.id, u.email,
     json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', 'admin',
       'language', coalesce(p.language, 'en'), 'region', coalesce(p.region, 'UTC'),
       'changed_fields', json_array('is_company_owner')), ?3, ?4
   FROM json_each(?1) j CROSS JOIN users u ON u.id = j.value ->> '$.user_id'
   LEFT JOIN preferences p ON p.user_id = u.id WHERE changes() > 0 ON CONFLICT DO NOTHING`,
);
