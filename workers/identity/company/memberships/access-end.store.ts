import { and, eq, gt, isNull, not, type SQLWrapper, sql } from "drizzle-orm";
import { isAllowedMember } from "../../../../db/identity/conditions";
import {
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { q } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// What must not outlive access follows the state itself, not the statement before it: a repeated batch ends the same.

const member = { companyId: memberships.company_id, userId: memberships.user_id };
type Member = Record<keyof typeof member, SQLWrapper>;

const isNotAllowed = (p: Member) => not(isAllowedMember(p.companyId, p.userId));
const isNoMember = (
  p: Member,
) => sql`not exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
    and ${memberships.user_id} = ${p.userId})`;
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
