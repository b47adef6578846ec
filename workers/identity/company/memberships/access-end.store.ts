import { and, eq, gt, isNull, ne, not, type SQLWrapper, sql } from "drizzle-orm";
import { isAllowedMember } from "../../../../db/identity/conditions/write-checks";
import {
  invitations,
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// These statements check the state of the membership instead of the changes() of the preceding statement. A repeated batch
// therefore has the same result.

const member = { companyId: memberships.company_id, userId: memberships.user_id };
type Member = Record<keyof typeof member, SQLWrapper>;

const isNotAllowed = (p: Member) => not(isAllowedMember(p.companyId, p.userId));
const isNotMember = (
  p: Member,
) => sql`not exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
    and ${memberships.user_id} = ${p.userId})`;
const hasNoMembership = (userId: SQLWrapper) =>
  sql`not exists (select 1 from ${memberships} where ${memberships.user_id} = ${userId})`;

const sessionsOf = (p: Member) => and(eq(sessions.company_id, p.companyId), eq(sessions.user_id, p.userId));
const patsOf = (p: Member) =>
  and(eq(personal_access_tokens.company_id, p.companyId), eq(personal_access_tokens.user_id, p.userId));

/**
 * Ends the open invitation of a user who is not a member, so that it does not admit the user again. Run it before the account
 * is deleted.
 */
export const endInvitationOfFormerMember = statement({ ...member, now: integer }, (p) =>
  queryBuilder
    .update(invitations)
    .set({ expires_at: p.now })
    .where(
      and(
        eq(invitations.company_id, p.companyId),
        sql`${invitations.email} = (select ${users.email} from ${users} where ${users.id} = ${p.userId})`,
        // SQLite uses the partial index of addresses only if the query repeats its condition.
        ne(invitations.status, sql`'accepted'`),
        eq(invitations.status, sql`'pending'`),
        gt(invitations.expires_at, p.now),
        isNotMember(p),
      ),
    ),
);

/** Revokes the sessions of a user who is not an allowed member of the company. */
export const revokeSessionsWithoutAccess = statement({ ...member, now: integer }, (p) =>
  queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: "access_ended" })
    .where(and(sessionsOf(p), isNull(sessions.revoked_at), isNotAllowed(p))),
);

/**
 * Revokes the personal access tokens of a user who is not an allowed member of the company. A token created with another
 * token has the same holder, so this statement revokes it too.
 */
export const revokePatsWithoutAccess = statement({ ...member, now: integer }, (p) =>
  queryBuilder
    .update(personal_access_tokens)
    .set({ revoked_at: p.now })
    .where(and(patsOf(p), isNull(personal_access_tokens.revoked_at), isNotAllowed(p))),
);

/** Deletes the sessions of a user who is no longer a member. */
export const deleteSessionsOfFormerMember = statement(member, (p) =>
  queryBuilder.delete(sessions).where(and(sessionsOf(p), isNotMember(p))),
);

/** Deletes the personal access tokens of a user who is no longer a member. */
export const deletePatsOfFormerMember = statement(member, (p) =>
  queryBuilder.delete(personal_access_tokens).where(and(patsOf(p), isNotMember(p))),
);

/** Expires the open sign-in links and codes of an account that has no membership left. */
export const endSignInRequestsWithoutMembership = statement({ userId: users.id, now: integer }, (p) =>
  queryBuilder
    .update(sign_in_requests)
    .set({ expires_at: p.now })
    .where(
      and(
        sql`${sign_in_requests.email} = (select ${users.email} from ${users} where ${users.id} = ${p.userId})`,
        ...[gt(sign_in_requests.expires_at, p.now), isNull(sign_in_requests.consumed_at), hasNoMembership(p.userId)],
      ),
    ),
);

/** Deletes an account without memberships. The trigger users_deleting deletes its provider identities. */
export const deleteUserWithoutMembership = statement({ userId: users.id }, (p) =>
  queryBuilder.delete(users).where(and(eq(users.id, p.userId), hasNoMembership(p.userId))),
);

/** Deletes the preferences of a deleted account. */
export const deleteOrphanedPreferences = statement({ userId: users.id }, (p) =>
  queryBuilder
    .delete(preferences)
    .where(
      sql`${preferences.user_id} = ${p.userId} and not exists (select 1 from ${users} where ${users.id} = ${p.userId})`,
    ),
);
