import { sql } from "../../kit/db";
import { personColumns } from "../account/person.store";

/**
 * What a sign-in writes once its one-time row is spent. `won` holds when ?2 is the nonce that spent the row ?1, so that
 * without it every statement changes nothing, and a repeated batch adds nothing. `?3` is the address of the account.
 */
function signInStatements(won: string) {
  const isUnproven = `u.email = ?3 AND u.email_verified_at IS NULL AND ${won}`;
  return {
    /**
     * (key, nonce, email, now, username candidates 1 to 4, proven at?, first name, last name, picture?): the account of a
     * new address. The last candidate is random.
     */
    createUser: sql(
      `INSERT INTO users (email, email_verified_at, username, first_name, last_name, avatar_url, created_at, updated_at)
       SELECT ?3, ?9, CASE WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?5) THEN ?5
         WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?6) THEN ?6
         WHEN NOT EXISTS (SELECT 1 FROM users WHERE username = ?7) THEN ?7 ELSE ?8 END, ?10, ?11, ?12, ?4, ?4
       WHERE ${won} ON CONFLICT(email) DO NOTHING RETURNING id`,
    ),
    /**
     * (key, nonce, email): before the first proof of an address, whoever linked a provider's account to it has not shown
     * that it is theirs. A generic OpenID identity stays, because it reaches its own company only (details 2.5).
     */
    removeUnprovenIdentities: sql(
      `DELETE FROM identities WHERE provider <> 'oidc' AND email_proven = 0
         AND user_id = (SELECT u.id FROM users u WHERE ${isUnproven})`,
    ),
    /** (key, nonce, email, now): the sessions that such identities had opened. */
    endUnprovenSessions: sql(
      `UPDATE sessions SET revoked_at = ?4, revoke_reason = 'address_proven'
       WHERE user_id = (SELECT u.id FROM users u WHERE ${isUnproven})
         AND revoked_at IS NULL AND provider NOT LIKE 'oidc-%'`,
    ),
    /** (key, nonce, email, now): the tokens made in such sessions; those of a company with an OpenID identity stay. */
    endUnprovenTokens: sql(
      `UPDATE personal_access_tokens SET revoked_at = ?4
       WHERE revoked_at IS NULL AND (company_id, user_id) IN (SELECT m.company_id, m.user_id
         FROM users u JOIN memberships m ON m.user_id = u.id WHERE ${isUnproven} AND NOT EXISTS
           (SELECT 1 FROM identities i WHERE i.user_id = u.id AND i.company_id = m.company_id))`,
    ),
    /** (key, nonce, email, now): the newest proof of the address; only the first one is a change of the account. */
    proveAddress: sql(
      `UPDATE users SET email_verified_at = ?4,
         updated_at = CASE WHEN email_verified_at IS NULL THEN ?4 ELSE updated_at END
       WHERE email = ?3 AND ${won}`,
    ),
    /** (key, nonce, email, now, company): lets the person in; only a state set by the join rules is raised. */
    admitUser: sql(
      `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, last_seen_at, created_at)
       SELECT ?5, u.id, 'allowed', 'join_rule', ?4, ?4, ?4 FROM users u WHERE u.email = ?3 AND ${won}
       ON CONFLICT(company_id, user_id) DO UPDATE SET
         state_at = CASE WHEN memberships.state = 'allowed' THEN memberships.state_at ELSE excluded.state_at END,
         state = 'allowed', last_seen_at = excluded.last_seen_at
       WHERE memberships.state = 'allowed' OR memberships.state_reason = 'join_rule'`,
    ),
    /** (key, nonce, email, now, company, provider, session id, idle end, hard end, country?, agent) */
    createSession: sql(
      `INSERT INTO sessions (id, user_id, company_id, provider, auth_time, rotated_at, idle_expires_at,
         absolute_expires_at, country, user_agent, created_at)
       SELECT ?7, u.id, ?5, ?6, ?4, ?4, ?8, ?9, ?10, ?11, ?4 FROM users u WHERE u.email = ?3 AND ${won}
       ON CONFLICT DO NOTHING`,
    ),
    /** (key, nonce, email, now, company, provider, code hash, context JSON, expiry, redirect, redirect key, challenge?) */
    createCode: sql(
      `INSERT INTO auth_codes (code_hash, user_id, company_id, provider, redirect_to, redirect_key, code_challenge,
         auth_time, client_context, created_at, expires_at)
       SELECT ?7, u.id, ?5, ?6, ?10, ?11, ?12, ?4, ?8, ?4, ?9 FROM users u WHERE u.email = ?3 AND ${won}
       ON CONFLICT DO NOTHING`,
    ),
    /** (key, nonce, company, name, label, guard): adds 1 to a total, once per event or auth code written after it. */
    count: sql(
      `INSERT INTO counters (company_id, name, label, value)
       SELECT ?3, ?4, ?5, 1 WHERE ${won} AND NOT EXISTS (SELECT 1 FROM event_log WHERE event_id = ?6)
         AND NOT EXISTS (SELECT 1 FROM auth_codes WHERE code_hash = ?6)
       ON CONFLICT(company_id, name, label) DO UPDATE SET value = value + 1`,
    ),
    /** (key, nonce, email, company): the person after the batch, for the token payload; no row when the race was lost. */
    findPerson: sql(
      `SELECT ${personColumns} FROM users u LEFT JOIN memberships m ON m.company_id = ?4 AND m.user_id = u.id
       LEFT JOIN preferences p ON p.user_id = u.id WHERE u.email = ?3 AND ${won}`,
    ),
  };
}

export type SignInStatements = ReturnType<typeof signInStatements>;

const linkWon = "EXISTS (SELECT 1 FROM sign_in_requests r WHERE r.id = ?1 AND r.consume_nonce = ?2)";

/** A sign-in by link or typed code: (id of the request, consume nonce). */
export const linkSignIn = signInStatements(linkWon);

const stateWon = "EXISTS (SELECT 1 FROM oauth_states r WHERE r.state_hash = ?1 AND r.use_nonce = ?2)";

/** A sign-in by a provider: (state hash, use nonce). */
export const oauthSignIn = signInStatements(stateWon);

/**
 * What a refusal by the join rules leaves (details 5, rule 7), so that an administrator can act. `guard` is a condition on
 * values behind the named ones.
 */
function refusalStatements(guard: string) {
  return {
    /** (company, email, state, now, …guard): the membership; RETURNING only on the first move from none. */
    createMembership: sql(
      `INSERT INTO memberships (company_id, user_id, state, state_reason, state_at, created_at)
       SELECT ?1, u.id, ?3, 'join_rule', ?4, ?4 FROM users u WHERE u.email = ?2 AND ${guard}
       ON CONFLICT(company_id, user_id) DO NOTHING RETURNING user_id`,
    ),
    /** (company, email, state, now, …guard): a membership kept by the join rules follows the present mode. */
    moveMembership: sql(
      `UPDATE memberships SET state = ?3, state_at = ?4
       WHERE company_id = ?1 AND user_id = (SELECT id FROM users WHERE email = ?2)
         AND state_reason = 'join_rule' AND state NOT IN ('allowed', ?3) AND ${guard}`,
    ),
  };
}

export type RefusalStatements = ReturnType<typeof refusalStatements>;

/** A refused link stays unspent: there is nothing to depend on. */
export const linkRefusal = refusalStatements("true");

/** (…, state hash, use nonce) */
export const oauthRefusal = refusalStatements(
  "EXISTS (SELECT 1 FROM oauth_states r WHERE r.state_hash = ?5 AND r.use_nonce = ?6)",
);
