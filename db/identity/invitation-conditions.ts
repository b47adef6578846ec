import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isAllowed, isBlocked } from "./membership";
import { invitations, memberships, users } from "./schema";

// Conditions of the join rules about invitations (docs/specification/sign-in.md#join-rules). A sign-in decides with the rows
// that it read; its batch checks the decision again with these conditions.

/** The company and address of a sign-in, the invitation that admits the address (or null), and the time (unix ms). */
type Invitee = { companyId: SQLWrapper; email: SQLWrapper; invitationId: SQLWrapper; now: SQLWrapper };

const invitee = alias(users, "invitee");
const current = alias(memberships, "current");
const membershipOfInvitee = (p: Pick<Invitee, "companyId" | "email">, condition: SQL) =>
  sql`exists (select 1 from ${users} ${sql.identifier("invitee")}
    join ${memberships} ${sql.identifier("current")} on ${current.company_id} = ${p.companyId} and ${current.user_id} = ${invitee.id}
    where ${invitee.email} = ${p.email} and ${condition})`;

/** Returns the condition that the invitation is open, and newer than a membership that denies access. */
export function isAcceptable(p: Invitee): SQL {
  return sql`exists (select 1 from ${invitations} where ${invitations.id} = ${p.invitationId}
    and ${invitations.company_id} = ${p.companyId} and ${invitations.email} = ${p.email}
    and ${invitations.status} = 'pending' and ${invitations.expires_at} > ${p.now}
    and not ${membershipOfInvitee(p, sql`not ${isAllowed(current)} and (${current.state_at} >= ${invitations.created_at} or ${current.state_reason} = 'scim')`)})`;
}

/**
 * Returns the condition that the address may still join. For a sign-in with an invitation, the invitation must still be
 * acceptable, unless the member is already allowed. For a sign-in without one, the member must not be blocked, and the
 * address must have no revoked invitation, unless the member is already allowed.
 */
export function mayJoin(p: Invitee): SQL {
  const isMember = membershipOfInvitee(p, isAllowed(current));
  // SQLite uses the partial index of addresses only if the query repeats its condition.
  const isRevoked = sql`exists (select 1 from ${invitations} where ${invitations.company_id} = ${p.companyId}
    and ${invitations.email} = ${p.email} and ${invitations.status} <> 'accepted' and ${invitations.status} = 'revoked')`;
  return sql`case when ${p.invitationId} is not null then (${isAcceptable(p)} or ${isMember})
    else not ${membershipOfInvitee(p, isBlocked(current))} and (not ${isRevoked} or ${isMember}) end`;
}
