import { and, eq, gt, isNull, ne, not, or, type SQLWrapper, sql } from "drizzle-orm";
import { isAllowedMember, isCompanyActive } from "../../../../db/identity/conditions";
import { hasOtherOwner } from "../../../../db/identity/membership";
import {
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { integer, json } from "../../../kit/db/kind";
import { each, q, rows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const member = { companyId: memberships.company_id, userId: memberships.user_id };
type Member = Record<keyof typeof member, SQLWrapper>;

const isMembership = (p: Member) => and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, p.userId));

// A company keeps its last owner: asked inside the statement that would let them go, so that of any number of parallel
// calls one owner stays.
const mayGo = (p: Member) =>
  or(eq(memberships.is_owner, false), ne(memberships.state, "allowed"), hasOtherOwner(p.companyId, p.userId));

/** Lets a member in by an administrator; never a staff account, which only a command lets in. */
export const enableMembership = statement({ ...member, now: integer }, (p) =>
  q
    .update(memberships)
    .set({ state: "allowed", state_reason: "admin", state_at: p.now, is_owner: false })
    .where(
      and(
        ...[isMembership(p), ne(memberships.state, "allowed")],
        sql`exists (select 1 from ${users} where ${users.id} = ${p.userId} and ${users.is_staff} = 0)`,
      ),
    ),
);

/**
 * Takes access away by an administrator: `pending` from `allowed` only, `denied` from any state. Ownership ends. Changes
 * nothing for the last owner.
 */
export const withdrawMembership = statement({ ...member, state: memberships.state, now: integer }, (p) =>
  q
    .update(memberships)
    .set({ state: p.state, state_reason: "admin", state_at: p.now, is_owner: false })
    .where(
      and(
        isMembership(p),
        or(ne(memberships.state, p.state), ne(memberships.state_reason, "admin")),
        or(sql`${p.state} = 'denied'`, eq(memberships.state, "allowed")),
        mayGo(p),
      ),
    ),
);

/** Removes a membership. Changes nothing for the last owner. */
export const removeMembership = statement(member, (p) => q.delete(memberships).where(and(isMembership(p), mayGo(p))));

/** The state of a membership. */
export const findMembership = statement(member, (p) => {
  const { state, state_reason, is_owner } = memberships;
  return q.select({ state, state_reason, is_owner }).from(memberships).where(isMembership(p));
});

/** Those of the users who may act in the company: active accounts that are let into it, or staff, while it is active. */
export const findActiveMembers = statement({ companyId: memberships.company_id, userIds: json<number[]>() }, (p) => {
  const user = each(p.userIds);
  return rows(
    { id: users.id },
    (columns) => sql`select ${columns} from ${user.from} cross join ${users} on ${users.id} = ${user.value}
        where ${users.is_active} = 1 and ${isCompanyActive(p.companyId)}
          and (${users.is_staff} = 1 or ${isAllowedMember(p.companyId, users.id)})`,
  );
});

// What must not outlive access follows the state itself, not the statement before it: a repeated batch ends the same.
const isNotAllowed = (p: Member) => not(isAllowedMember(p.companyId, p.userId));
const isNoMember = (p: Member) => sql`not exists (select 1 from ${memberships} where ${isMembership(p)})`;
const hasNoMembership = (userId: SQLWrapper) =>
  sql`not exists (select 1 from ${memberships} where ${memberships.user_id} = ${userId})`;

const sessionsOf = (p: Member) => and(eq(sessions.company_id, p.companyId), eq(sessions.user_id, p.userId));
const patsOf = (p: Member) =>
  and(eq(personal_access_tokens.company_id, p.companyId), eq(personal_access_tokens.user_id, p.userId));

/** Ends the sessions of a user who is not let into the company. */
export const revokeSessionsOfStranger = statement({ ...member, now: integer }, (p) =>
  q
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: "access_ended" })
    .where(and(sessionsOf(p), isNull(sessions.revoked_at), isNotAllowed(p))),
);

/** Ends the tokens of a user who is not let into the company; a token made by one has the same holder. */
export const revokePatsOfStranger = statement({ ...member, now: integer }, (p) =>
  q
    .update(personal_access_tokens)
    .set({ revoked_at: p.now })
    .where(and(patsOf(p), isNull(personal_access_tokens.revoked_at), isNotAllowed(p))),
);

/** Sessions of somebody who is no member any more. */
export const deleteSessionsOfStranger = statement(member, (p) =>
  q.delete(sessions).where(and(sessionsOf(p), isNoMember(p))),
);

/** Tokens of somebody who is no member any more. */
export const deletePatsOfStranger = statement(member, (p) =>
  q.delete(personal_access_tokens).where(and(patsOf(p), isNoMember(p))),
);

/** Ends the open links and codes of an account that has no membership left. */
export const endSignInRequestsOfStranger = statement({ userId: users.id, now: integer }, (p) =>
  q
    .update(sign_in_requests)
    .set({ expires_at: p.now })
    .where(
      and(
        sql`${sign_in_requests.email} = (select ${users.email} from ${users} where ${users.id} = ${p.userId})`,
        ...[gt(sign_in_requests.expires_at, p.now), isNull(sign_in_requests.consumed_at), hasNoMembership(p.userId)],
      ),
    ),
);

/** The account that has no membership left. Its provider identities go by the trigger users_deleting. */
export const deleteUserWithoutMembership = statement({ userId: users.id }, (p) =>
  q.delete(users).where(and(eq(users.id, p.userId), hasNoMembership(p.userId))),
);

/** Preferences of an account that is gone. */
export const deleteOrphanedPreferences = statement({ userId: users.id }, (p) =>
  q
    .delete(preferences)
    .where(
      sql`${preferences.user_id} = ${p.userId} and not exists (select 1 from ${users} where ${users.id} = ${p.userId})`,
    ),
);
