import { sql } from "../../kit/db";

// A company keeps its last owner: asked inside the statement that would let them go, so that of any number of parallel
// calls one owner stays.
const mayGo = `(is_owner = 0 OR state <> 'allowed' OR EXISTS (SELECT 1 FROM memberships o
  WHERE o.company_id = ?1 AND o.is_owner = 1 AND o.state = 'allowed' AND o.user_id <> ?2))`;

/** (company, user, now): lets a member in by an administrator; never a staff account (details 5). */
export const enableMembership = sql(
  `UPDATE memberships SET state = 'allowed', state_reason = 'admin', state_at = ?3, is_owner = 0
   WHERE company_id = ?1 AND user_id = ?2 AND state <> 'allowed'
     AND EXISTS (SELECT 1 FROM users u WHERE u.id = ?2 AND u.is_staff = 0)`,
);

/**
 * (company, user, `pending` or `denied`, now): takes access away by an administrator: `pending` from `allowed` only,
 * `denied` from any state (details 5). Ownership ends. Changes nothing for the last owner.
 */
export const withdrawMembership = sql(
  `UPDATE memberships SET state = ?3, state_reason = 'admin', state_at = ?4, is_owner = 0
   WHERE company_id = ?1 AND user_id = ?2 AND NOT (state = ?3 AND state_reason = 'admin')
     AND (?3 = 'denied' OR state = 'allowed') AND ${mayGo}`,
);

/** (company, user): removes a membership. Changes nothing for the last owner. */
export const removeMembership = sql(`DELETE FROM memberships WHERE company_id = ?1 AND user_id = ?2 AND ${mayGo}`);

/** (company, user): the state of a membership. */
export const findMembership = sql(
  "SELECT state, state_reason, is_owner FROM memberships WHERE company_id = ?1 AND user_id = ?2",
);

// What must not outlive access follows the state itself, not the statement before it: a repeated batch ends the same.
const isNotAllowed =
  "NOT EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = ?1 AND m.user_id = ?2 AND m.state = 'allowed')";
const isNoMember = "NOT EXISTS (SELECT 1 FROM memberships m WHERE m.company_id = ?1 AND m.user_id = ?2)";
const isNoUser = "NOT EXISTS (SELECT 1 FROM users u WHERE u.id = ?1)";

/** (company, user, now): ends the sessions of a user who is not let into the company. */
export const revokeSessionsOfStranger = sql(
  `UPDATE sessions SET revoked_at = ?3, revoke_reason = 'access_ended'
   WHERE company_id = ?1 AND user_id = ?2 AND revoked_at IS NULL AND ${isNotAllowed}`,
);

/** (company, user, now): ends the tokens of a user who is not let into the company; a token made by one has the same holder. */
export const revokePatsOfStranger = sql(
  `UPDATE personal_access_tokens SET revoked_at = ?3
   WHERE company_id = ?1 AND user_id = ?2 AND revoked_at IS NULL AND ${isNotAllowed}`,
);

/** (company, user): sessions of somebody who is no member any more. */
export const deleteSessionsOfStranger = sql(
  `DELETE FROM sessions WHERE company_id = ?1 AND user_id = ?2 AND ${isNoMember}`,
);

/** (company, user): tokens of somebody who is no member any more. */
export const deletePatsOfStranger = sql(
  `DELETE FROM personal_access_tokens WHERE company_id = ?1 AND user_id = ?2 AND ${isNoMember}`,
);

/** (user, now): ends the open links and codes of an account that has no membership left. */
export const endSignInRequestsOfStranger = sql(
  `UPDATE sign_in_requests SET expires_at = ?2
   WHERE email = (SELECT email FROM users WHERE id = ?1) AND expires_at > ?2 AND consumed_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = ?1)`,
);

/** (user): the account that has no membership left. Its provider identities go by the trigger users_deleting. */
export const deleteUserWithoutMembership = sql(
  "DELETE FROM users WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = ?1)",
);

/** (user): preferences of an account that is gone. */
export const deletePreferencesOfNobody = sql(`DELETE FROM preferences WHERE user_id = ?1 AND ${isNoUser}`);
