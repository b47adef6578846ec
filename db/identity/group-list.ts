import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { group_members, groups } from "./schema";

/** A group in the row of a member. */
export type GroupOfMember = { id: string; display_name: string; source: "admin" | "scim" };

/**
 * Returns the groups of the company that list the user themselves, ordered by name, as a JSON array. Groups that contain
 * the user through another group are not included.
 */
export function groupListOf(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`(select json_group_array(json_object('id', ${groups.id}, 'display_name', ${groups.display_name},
      'source', ${groups.source})
      order by ${groups.name_key})
    from ${group_members} cross join ${groups} on ${groups.id} = ${group_members.group_id}
    where ${group_members.user_id} = ${userId} and ${groups.company_id} = ${companyId})`;
}
