import { sql } from "../../kit/db";

/** (event id, company?, type, user?, email?, data, actor?, outcome?, provider?, staff?, country?, city?, zone?, now) */
export const insertEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, outcome, provider,
     is_staff_at_event, country, city, timezone, created_at)
   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) ON CONFLICT DO NOTHING`,
);

/** (session id, event id, company, data, country?, city?, zone?, now): the sign-in that made a session, in its batch. */
export const insertLoginEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, outcome, provider,
     is_staff_at_event, country, city, timezone, created_at)
   SELECT ?2, s.company_id, 'identity.auth.login.succeeded', u.id, u.email,
     json_set(?3, '$.is_staff_at_event', json(CASE u.is_staff WHEN 1 THEN 'true' ELSE 'false' END)), 'success',
     s.provider, u.is_staff, ?4, ?5, ?6, ?7
   FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ?1 ON CONFLICT DO NOTHING`,
);

/** (session id, event id, code hash, now): the sign-in of a redeemed code; its audit data is that of the consume. */
export const insertRedeemedLoginEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, outcome, provider,
     is_staff_at_event, country, city, timezone, created_at)
   SELECT ?2, s.company_id, 'identity.auth.login.succeeded', u.id, u.email,
     json_set(a.client_context, '$.is_staff_at_event', json(CASE u.is_staff WHEN 1 THEN 'true' ELSE 'false' END)),
     'success', s.provider, u.is_staff, a.client_context ->> '$.client_country', a.client_context ->> '$.client_city',
     a.client_context ->> '$.client_timezone', ?4
   FROM sessions s JOIN users u ON u.id = s.user_id JOIN auth_codes a ON a.code_hash = ?3
   WHERE s.id = ?1 ON CONFLICT DO NOTHING`,
);

const changeEvent = (data: string) =>
  sql(`INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT ?1, ?2, ?3, u.id, u.email, ${data}, ?6, ?7
   FROM users u WHERE changes() > 0 AND u.id = ?4 ON CONFLICT DO NOTHING`);

/**
 * (event id, company, type, user, data JSON, actor JSON, now): what an administrator or the person did. It stands right
 * behind the statement that did it, and is written only when that statement changed a row.
 */
export const insertChangeEvent = changeEvent("?5");

/** As insertChangeEvent, behind the statement that added a webhook rule, with the id that the rule was given. */
export const insertRuleEvent = changeEvent("json_set(?5, '$.rule_id', last_insert_rowid())");

/**
 * (event id, company, type, user, source, more data JSON, actor JSON, now): an event about a user, with the user block of
 * details 11. As insertChangeEvent, it stands right behind the change and follows it.
 */
export const insertUserEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT ?1, ?2, ?3, u.id, u.email,
     json_patch(json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', ?5,
       'language', coalesce(p.language, 'en'), 'region', coalesce(p.region, 'UTC')), ?6), ?7, ?8
   FROM users u LEFT JOIN preferences p ON p.user_id = u.id WHERE changes() > 0 AND u.id = ?4 ON CONFLICT DO NOTHING`,
);

/** (email, company, event id, now, source, more data JSON): `identity.user.created`, for an account's first membership. */
export const insertUserCreatedEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, created_at)
   SELECT ?3, ?2, 'identity.user.created', u.id, u.email,
     json_patch(json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', ?5,
       'language', coalesce(p.language, 'en'), 'region', coalesce(p.region, 'UTC')), ?6), ?4
   FROM users u JOIN memberships m ON m.company_id = ?2 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id
   WHERE u.email = ?1 AND u.created_at = ?4 AND m.created_at = ?4
     AND NOT EXISTS (SELECT 1 FROM event_log e WHERE e.user_id = u.id AND e.event_type = 'identity.user.created')
   ON CONFLICT DO NOTHING`,
);

/**
 * (email, company, event id, source, access state, now): `identity.membership.requested`; as insertChangeEvent, it stands
 * right behind the statement that made the membership, and follows it.
 */
export const insertRequestedEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, created_at)
   SELECT ?3, ?2, 'identity.membership.requested', u.id, u.email,
     json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', ?4,
       'language', coalesce(p.language, 'en'), 'region', coalesce(p.region, 'UTC'), 'access_state', ?5), ?6
   FROM users u LEFT JOIN preferences p ON p.user_id = u.id WHERE changes() > 0 AND u.email = ?1 ON CONFLICT DO NOTHING`,
);

/**
 * (session id, now, data, country?, city?): one audit entry of a session that reuse of a refresh token ended, with the
 * client that showed the token; the session id is its event id.
 */
export const insertReuseEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, outcome, provider,
     is_staff_at_event, country, city, created_at)
   SELECT s.id, s.company_id, 'identity.auth.session.reuse_detected', u.id, u.email,
     json_set(?3, '$.provider', s.provider, '$.is_staff_at_event', json(CASE u.is_staff WHEN 1 THEN 'true' ELSE 'false' END)),
     'failure', s.provider, u.is_staff, ?4, ?5, ?2
   FROM sessions s JOIN users u ON u.id = s.user_id
   WHERE s.id = ?1 AND s.revoked_at = ?2 AND s.revoke_reason = 'refresh_token_reused' ON CONFLICT DO NOTHING`,
);

/** (company, name, label, event id): adds 1 to a stored total, once per event row that is written after it. */
export const countWithEvent = sql(
  `INSERT INTO counters (company_id, name, label, value)
   SELECT ?1, ?2, ?3, 1 WHERE NOT EXISTS (SELECT 1 FROM event_log WHERE event_id = ?4)
   ON CONFLICT(company_id, name, label) DO UPDATE SET value = value + 1`,
);

/** (company, mail row id, kind of end): the log-only event of a mail that could not leave; the row id is its event id. */
export const insertMailFailedEvent = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, data, created_at)
   SELECT id, company_id, 'identity.auth.magic_link.mail_failed',
     json_object('provider', 'magic_link', 'failure_reason', coalesce(last_error, state), 'request_id', request_id), ?2
   FROM mail_outbox WHERE id = ?1 AND kind = 'magic_link' AND state IN ('failed', 'expired') ON CONFLICT DO NOTHING`,
);
