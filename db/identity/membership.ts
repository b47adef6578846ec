import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { memberships } from "./schema";

/** Whether a membership is that of an owner of the company: one who is let in. */
export const ownsCompany = (m: { is_owner: AnySQLiteColumn; state: AnySQLiteColumn }) =>
  and(eq(m.is_owner, true), eq(m.state, "allowed"));

const other = alias(memberships, "o");

/** Whether somebody else than the user owns the company. */
export function hasOtherOwner(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`exists (select 1 from ${memberships} ${other} where ${other.company_id} = ${companyId}
    and ${ownsCompany(other)} and ${other.user_id} <> ${userId})`;
}

/** Whether the person has not been seen since the start of the day (unix ms): then it is noted, and else it is not. */
export const isUnseenSince = (today: SQLWrapper) =>
  sql`(${memberships.last_seen_at} is null or ${memberships.last_seen_at} < ${today})`;
