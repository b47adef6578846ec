import { and, count, eq, sql } from "drizzle-orm";
import { group_groups, group_members, groups, memberships, users } from "../../../../db/identity/schema";
import { boolean, integer, json } from "../../../kit/db/kind";
import { allColumns, jsonEach, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

export type GroupRow = typeof groups.$inferSelect;

const { company_id, id, name_key } = groups;

/** Selects the number of groups of a company. */
export const countGroups = statement({ companyId: company_id }, (p) =>
  queryBuilder.select({ total: count() }).from(groups).where(eq(company_id, p.companyId)),
);

/** Selects the groups whose name follows `after`, ordered by name. */
export const listGroups = statement({ companyId: company_id, after: name_key, limit: integer, offset: integer }, (p) =>
  selectRows(
    allColumns(groups),
    (columns) => sql`select ${columns} from ${groups} indexed by groups_name
        where ${company_id} = ${p.companyId} and ${name_key} > ${p.after}
        order by ${name_key} limit ${p.limit} offset ${p.offset}`,
  ),
);

/** Selects a group of the company. */
export const findGroup = statement({ companyId: company_id, id }, (p) =>
  queryBuilder
    .select(allColumns(groups))
    .from(groups)
    .where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Selects the first direct users of a group, ordered by id. */
export const listGroupUsers = statement({ id: group_members.group_id, limit: integer }, (p) =>
  selectRows(
    { user_id: group_members.user_id, email: users.email },
    (
      columns,
    ) => sql`select ${columns} from ${group_members} cross join ${users} on ${users.id} = ${group_members.user_id}
      where ${group_members.group_id} = ${p.id} order by ${group_members.user_id} limit ${p.limit}`,
  ),
);

/** Selects the ids of all direct users of a group. */
export const listGroupUserIds = statement({ id: group_members.group_id }, (p) =>
  queryBuilder.select({ user_id: group_members.user_id }).from(group_members).where(eq(group_members.group_id, p.id)),
);

/** Selects the direct member groups of a group, ordered by name. */
export const listMemberGroups = statement({ id: group_groups.group_id }, (p) =>
  selectRows(
    { id, display_name: groups.display_name },
    (columns) => sql`select ${columns} from ${group_groups}
      cross join ${groups} on ${id} = ${group_groups.member_group_id}
      where ${group_groups.group_id} = ${p.id} order by ${name_key}`,
  ),
);

const members = { companyId: company_id, id, userIds: json<number[]>(), groupIds: json<string[]>() };

/**
 * Selects whether new members of a group are invalid. Users must be members of the company. Groups must belong to the
 * company and must not contain the group itself, directly or through other groups.
 */
export const checkNewMembers = statement(members, (p) => {
  const user = jsonEach(p.userIds);
  const group = jsonEach(p.groupIds);
  return selectRows(
    {
      has_unknown_user: sql`exists (select 1 from ${user.from} where not exists (select 1 from ${memberships}
        where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${user.value}))`.mapWith(boolean),
      has_unknown_group: sql`exists (select 1 from ${group.from} where not exists (select 1 from ${groups}
        where ${id} = ${group.value} and ${company_id} = ${p.companyId}))`.mapWith(boolean),
      has_cycle: sql`exists (with recursive contained(id) as (select value from json_each(${p.groupIds})
        union select ${group_groups.member_group_id} from contained
          cross join ${group_groups} on ${group_groups.group_id} = contained.id)
        select 1 from contained where contained.id = ${p.id})`.mapWith(boolean),
    },
    (columns) => sql`select ${columns}`,
  );
});

/** Selects the groups with these ids that administrators manage. */
export const listAdminGroups = statement({ companyId: company_id, ids: json<string[]>() }, (p) => {
  const listed = jsonEach(p.ids);
  return selectRows(
    { id },
    (columns) => sql`select ${columns} from ${listed.from} cross join ${groups} on ${id} = ${listed.value}
      where ${company_id} = ${p.companyId} and ${groups.source} = 'admin'`,
  );
});
