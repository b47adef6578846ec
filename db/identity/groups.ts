import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// The tables of groups. schema.ts exports them with all tables.

/** Returns the key of a group's name. Names with the same key, which look the same or differ only in case, are one name. */
export const nameKeyOf = (name: string): string => name.normalize("NFC").toLowerCase();

/** Groups of a company. The triggers of 0017_groups.sql delete the rows of members and of deleted groups. */
export const groups = sqliteTable(
  "groups",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    source: text({ enum: ["admin", "scim"] }).notNull(),
    display_name: text().notNull(),
    /** the nameKeyOf the name */
    name_key: text().notNull(),
    external_id: text(),
    /** number of direct users */
    user_count: integer().notNull().default(0),
    /** random; every change of the group replaces it, so that a change based on an older state of the group is rejected */
    revision: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [uniqueIndex("groups_name").on(t.company_id, t.name_key)],
);

/** The direct users of each group. */
export const group_members = sqliteTable(
  "group_members",
  { group_id: text().notNull(), user_id: integer().notNull() },
  (t) => [primaryKey({ columns: [t.group_id, t.user_id] }), index("group_members_user").on(t.user_id)],
);

/** The direct member groups of each group. */
export const group_groups = sqliteTable(
  "group_groups",
  { group_id: text().notNull(), member_group_id: text().notNull() },
  (t) => [primaryKey({ columns: [t.group_id, t.member_group_id] }), index("group_groups_member").on(t.member_group_id)],
);

/** A direct group of a member. */
export type GroupOfMember = { id: string; display_name: string; source: "admin" | "scim" };

/**
 * Returns the groups of the company that have the user as a direct member, ordered by name, as a JSON array. Groups that
 * contain the user only through another group are not included.
 */
export function groupListOf(companyId: SQLWrapper, userId: SQLWrapper): SQL {
  return sql`(select json_group_array(json_object('id', ${groups.id}, 'display_name', ${groups.display_name},
      'source', ${groups.source})
      order by ${groups.name_key})
    from ${group_members} cross join ${groups} on ${groups.id} = ${group_members.group_id}
    where ${group_members.user_id} = ${userId} and ${groups.company_id} = ${companyId})`;
}
