import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { memberships } from "../schema";

// Conditions on the state of a membership, in SQL. They apply to `memberships` or an alias of it.

type Membership = { state: AnySQLiteColumn; state_reason: AnySQLiteColumn };

/** Returns the condition that the membership is in the state `allowed`. */
export const isAllowed = (membership: Pick<Membership, "state"> = memberships): SQL =>
  sql`${membership.state} = 'allowed'`;

/** Returns the condition that the member is blocked by an administrator or SCIM, not by the join rules. */
export const isBlocked = (membership: Membership = memberships): SQL =>
  sql`(${membership.state} <> 'allowed' and ${membership.state_reason} <> 'join_rule')`;

/** Returns the condition that the member is an owner of the company, who must also be allowed. */
export const ownsCompany = (membership: { is_owner: AnySQLiteColumn; state: AnySQLiteColumn }) =>
  and(eq(membership.is_owner, true), eq(membership.state, "allowed"));

const otherOwner = alias(memberships, "other_owner");

/** Returns the condition that the company has an owner other than the user. */
export function hasOtherOwner(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${memberships} ${otherOwner} where ${otherOwner.company_id} = ${companyId}
    and ${ownsCompany(otherOwner)} and ${otherOwner.user_id} <> ${userId})`;
}

/**
 * Returns the condition that every user in the list (a JSON parameter) is an allowed member of the company. It is true
 * when the list is null.
 */
export function areAllowed(companyId: SQLWrapper, ids: SQLWrapper): SQL {
  return sql`(${ids} is null or json_array_length(${ids}) = (select count(*) from json_each(${ids}) id
    cross join ${memberships} on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = id.value
    where ${isAllowed()}))`;
}

/**
 * Returns the condition that the member has not been seen since the start of the day (unix ms). A
 * statement with this condition stores a visit at most once a day.
 */
export const isUnseenSince = (today: SQLWrapper) =>
  sql`(${memberships.last_seen_at} is null or ${memberships.last_seen_at} < ${today})`;
