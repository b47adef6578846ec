import { sql } from "../../kit/db";

// Statements of the commands that an operator alone may run (details 13): the only way to staff status, and the only way
// of a staff account into a company.

/** (email, now, username candidates 1 to 4): the account of an address that no sign-in has proven yet. */
export const createAccount = sql(
  `INSERT INTO users (email, username, created_at, updated_at)
   SELECT ?1, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?3) THEN ?3
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?4) THEN ?4
     WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5 ELSE ?6 END, ?2, ?2
   WHERE true ON CONFLICT(email) DO NOTHING`,
);

/** (email): the account with that address. */
export const findAccount = sql("SELECT id, is_active, is_staff FROM users WHERE email = ?1");

/** (email): companies that the account is a member of, and whether it is the last owner there. */
export const findMembershipsOfAccount = sql(
  `SELECT m.company_id, m.is_owner = 1 AND m.state = 'allowed' AND NOT EXISTS (SELECT 1 FROM memberships o
     WHERE o.company_id = m.company_id AND o.is_owner = 1 AND o.state = 'allowed' AND o.user_id <> m.user_id) AS is_last
   FROM users u JOIN memberships m ON m.user_id = u.id WHERE u.email = ?1`,
);

/**
 * (email, company): ends every membership but that of one company, unless one of the others would lose its last owner;
 * then none is ended.
 */
export const leaveOtherCompanies = sql(
  `DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = ?1) AND company_id <> ?2
     AND NOT EXISTS (SELECT 1 FROM users u JOIN memberships k ON k.user_id = u.id
       WHERE u.email = ?1 AND k.company_id <> ?2 AND k.is_owner = 1 AND k.state = 'allowed'
         AND NOT EXISTS (SELECT 1 FROM memberships o WHERE o.company_id = k.company_id AND o.is_owner = 1
           AND o.state = 'allowed' AND o.user_id <> k.user_id))`,
);

const becomesStaff = `u.email = ?1 AND u.is_staff = 0 AND u.is_active = 1
  AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.company_id <> ?2)`;

// A sign-in from before the grant may have been one that never makes a staff session, such as that of a company's own
// OpenID provider: what it left in the company ends before the status is given.

/** (email, company, now): the sessions of an account that becomes staff. */
export const endSessionsBeforeGrant = sql(
  `UPDATE sessions SET revoked_at = ?3, revoke_reason = 'staff_granted'
   WHERE company_id = ?2 AND revoked_at IS NULL AND user_id = (SELECT u.id FROM users u WHERE ${becomesStaff})`,
);

/** (email, company, now): its personal access tokens. */
export const endPatsBeforeGrant = sql(
  `UPDATE personal_access_tokens SET revoked_at = ?3
   WHERE company_id = ?2 AND revoked_at IS NULL AND user_id = (SELECT u.id FROM users u WHERE ${becomesStaff})`,
);

// Links and codes end as if they were used, because the clock of another isolate may be behind this one.

/** (email, company, now): its codes that no application has redeemed yet. */
export const endCodesBeforeGrant = sql(
  `UPDATE auth_codes SET redeemed_at = ?3 WHERE company_id = ?2 AND expires_at > ?3 AND redeemed_at IS NULL
     AND user_id = (SELECT u.id FROM users u WHERE ${becomesStaff})`,
);

/** (email, company, now): staff status, once no membership of another company is left. */
export const grantStaff = sql(`UPDATE users AS u SET is_staff = 1, updated_at = ?3 WHERE ${becomesStaff}`);

/**
 * (email, [{company_id, event_id}] as JSON, type, more data JSON, now): an event about an account in each company, by a
 * command, with the user block of details 11; right behind the statement of the change, as insertUserEvent.
 */
export const insertCommandEvents = sql(
  `INSERT INTO event_log (event_id, company_id, event_type, user_id, user_email, data, actor, created_at)
   SELECT j.value ->> '$.event_id', j.value ->> '$.company_id', ?3, u.id, u.email,
     json_patch(json_object('user_id', u.id, 'email', u.email, 'username', u.username, 'source', 'command',
       'language', coalesce(p.language, 'en'), 'region', coalesce(p.region, 'UTC')), ?4), '{"kind":"system"}', ?5
   FROM json_each(?2) j CROSS JOIN users u ON u.email = ?1
   LEFT JOIN preferences p ON p.user_id = u.id WHERE changes() > 0 ON CONFLICT DO NOTHING`,
);

/** (email, now): takes staff status; answers the account. */
export const revokeStaff = sql(
  "UPDATE users SET is_staff = 0, updated_at = ?2 WHERE email = ?1 AND is_staff = 1 RETURNING id",
);

/** (email, company, now): lets a staff account into a company; nobody else. */
export const admitStaff = sql(
  `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at)
   SELECT ?2, u.id, 'allowed', 'admin', ?3, ?3 FROM users u
   WHERE u.email = ?1 AND u.is_staff = 1 AND u.is_active = 1
   ON CONFLICT(company_id, user_id) DO UPDATE SET state = 'allowed', state_reason = 'admin', state_at = excluded.state_at
   WHERE memberships.state <> 'allowed'`,
);

/** (email, now): every open link and code of a staff account, so that none that went out before signs in as staff. */
export const endLinksOfStaff = sql(
  `UPDATE sign_in_requests SET consumed_at = ?2 WHERE email = ?1 AND expires_at > ?2 AND consumed_at IS NULL
     AND EXISTS (SELECT 1 FROM users u WHERE u.email = ?1 AND u.is_staff = 1)`,
);
