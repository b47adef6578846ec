import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { invitations, memberships, users } from "../schema";
import { isAllowed, isBlocked } from "./membership";

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

/**
 * Returns the condition that the invitation is open, and newer than a decision of an administrator that denies access. A
 * state that only the join rules stored does not matter.
 */
export function isAcceptable(p: Invitee): SQL {
  const isDenied = sql`not ${isAllowed(current)} and (${current.state_reason} = 'scim'
    or (${current.state_reason} <> 'join_rule' and ${current.state_at} >= ${invitations.created_at}))`;
  return sql`exists (select 1 from ${invitations} where ${invitations.id} = ${p.invitationId}
    and ${invitations.company_id} = ${p.companyId} and ${invitations.email} = ${p.email}
    and ${invitations.status} = 'pending' and ${invitations.expires_at} > ${p.now}
    and not ${membershipOfInvitee(p, isDenied)})`;
}

/**
 * Returns the condition that the address may still sign in. An allowed member may. A sign-in that was allowed because of the
 * membership (`wasMember`) needs it still. Other addresses must not belong to a staff account; their invitation must still be
 * acceptable, or without one, the member must not be blocked and the address must have no revoked invitation.
 */
export function canJoin(p: Invitee & { wasMember: SQLWrapper }): SQL {
  const isStaff = sql`exists (select 1 from ${users} where ${users.email} = ${p.email} and ${users.is_staff} = 1)`;
  // SQLite uses the partial index of addresses only if the query repeats its condition.
  const isRevoked = sql`exists (select 1 from ${invitations} where ${invitations.company_id} = ${p.companyId}
    and ${invitations.email} = ${p.email} and ${invitations.status} <> 'accepted' and ${invitations.status} = 'revoked')`;
  return sql`(${membershipOfInvitee(p, isAllowed(current))} or (not ${p.wasMember} and not ${isStaff}
    and case when ${p.invitationId} is not null then ${isAcceptable(p)}
      else not ${membershipOfInvitee(p, isBlocked(current))} and not ${isRevoked} end))`;
}
