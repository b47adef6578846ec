import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { conditionOf, type Filter, type FilterAttribute } from "../../../../db/identity/conditions/scim-filter";
import { group_groups, group_members, groups, scim_companies } from "../../../../db/identity/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, filterUnlessNull, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, statement, unregisteredStatement } from "../../../kit/db/statement";

// The statements that read the groups that the directory of a company manages.

const { company_id, id, name_key, source } = groups;

export type GroupRow = typeof groups.$inferSelect;

/** A group with the ids of its direct members. */
export type GroupContent = GroupRow & { user_ids: number[]; group_ids: string[] };

/** Maximum number of users in the groups of a page. A page with more of them ends after its first group at the limit. */
const MAX_LISTED_USERS = 10_000;

const isManaged = (companyId: SQLWrapper) => and(eq(company_id, companyId), eq(source, sql`'scim'`));
const contentColumns = {
  ...allColumns(groups),
  user_ids: sql`(select json_group_array(${group_members.user_id} order by ${group_members.user_id})
    from ${group_members} where ${group_members.group_id} = ${id})`.mapWith(json<number[]>()),
  group_ids: sql`(select json_group_array(${group_groups.member_group_id} order by ${group_groups.member_group_id})
    from ${group_groups} where ${group_groups.group_id} = ${id})`.mapWith(json<string[]>()),
};

/** Selects a group of the directory. */
export const findGroup = statement({ companyId: company_id, id }, (p) =>
  queryBuilder
    .select(allColumns(groups))
    .from(groups)
    .where(and(eq(id, p.id), isManaged(p.companyId))),
);

/** Selects a group of the directory with the ids of its direct members. */
export const findGroupContent = statement({ companyId: company_id, id }, (p) =>
  selectRows(
    contentColumns,
    (columns) => sql`select ${columns} from ${groups} where ${id} = ${p.id} and ${isManaged(p.companyId)}`,
  ),
);

/** Selects the direct users of a group who are in the list, or all of them if the list is null. */
export const listUserIds = statement({ id, userIds: nullable(json<number[]>()) }, (p) =>
  queryBuilder
    .select({ user_id: group_members.user_id })
    .from(group_members)
    .where(
      and(
        eq(group_members.group_id, p.id),
        filterUnlessNull(p.userIds, sql`${group_members.user_id} in (select value from json_each(${p.userIds}))`),
      ),
    ),
);

/** Selects the direct member groups of a group. */
export const listGroupIds = statement({ id }, (p) =>
  queryBuilder
    .select({ member_group_id: group_groups.member_group_id })
    .from(group_groups)
    .where(eq(group_groups.group_id, p.id)),
);

/** Selects the group of the company with this name. */
export const findGroupByName = statement({ companyId: company_id, nameKey: name_key }, (p) =>
  queryBuilder
    .select({ id })
    .from(groups)
    .where(and(eq(company_id, p.companyId), eq(name_key, p.nameKey))),
);

/** Selects the number of groups that the directory manages. */
export const countGroups = statement({ companyId: scim_companies.company_id }, (p) =>
  queryBuilder
    .select({ total: scim_companies.groups })
    .from(scim_companies)
    .where(eq(scim_companies.company_id, p.companyId)),
);

const contains = (value: SQL) => sql`(exists (select 1 from ${group_members} where ${group_members.group_id} = ${id}
    and ${group_members.user_id} = cast(${value} as integer) and cast(${group_members.user_id} as text) = ${value})
  or exists (select 1 from ${group_groups} where ${group_groups.group_id} = ${id} and ${group_groups.member_group_id} = ${value}))`;
const members: FilterAttribute = {
  kind: "member",
  contains,
  isPresent: sql`(${groups.user_count} > 0 or exists (select 1 from ${group_groups} where ${group_groups.group_id} = ${id}))`,
};

/** The attributes by which groups can be filtered. */
export const filterable: Record<string, FilterAttribute> = {
  id: { kind: "exact", column: sql`${id}` },
  externalid: { kind: "exact", column: sql`${groups.external_id}` },
  displayname: { kind: "group", column: sql`${name_key}` },
  members,
  "members.value": members,
  "meta.created": { kind: "time", column: sql`${groups.created_at}` },
  "meta.lastmodified": { kind: "time", column: sql`${groups.updated_at}` },
};

/** A group in a list, with the number of groups that match the filter. The members are null if they were not requested. */
type ListedGroup = GroupRow & { user_ids: number[] | null; group_ids: string[] | null; total: number };

/**
 * Returns the statement that selects the groups of the directory that match a filter, ordered by name. With `hasMembers`, the page
 * ends early when its groups have more than 10,000 users.
 */
export function selectGroups(
  companyId: number,
  filter: Filter | null,
  page: { offset: number; limit: number },
  hasMembers: boolean,
): Bound<ListedGroup> {
  const values: (string | number | null)[] = [];
  const parameters = {
    companyId: company_id,
    values: json<(string | number | null)[]>(),
    offset: integer,
    limit: integer,
  };
  const select = unregisteredStatement(parameters, (p) => {
    const condition = filter === null ? sql`1` : conditionOf(filter, filterable, values, p.values as SQL);
    const matching = sql`(select ${id} as key, ${name_key} as sort, ${groups.user_count} as users, count(*) over () as total from ${groups}
      where ${isManaged(p.companyId)} and json_array_length(${p.values}) >= 0 and ${condition}
      order by ${name_key} limit ${p.limit} offset ${p.offset})`;
    const page = sql`(select key, total, sum(users) over (order by sort rows unbounded preceding) - users as before from ${matching}) page`;
    const fields = {
      ...allColumns(groups),
      user_ids: (hasMembers ? contentColumns.user_ids : sql`null`).mapWith(nullable(json<number[]>())) as SQL<
        number[] | null
      >,
      group_ids: (hasMembers ? contentColumns.group_ids : sql`null`).mapWith(nullable(json<string[]>())) as SQL<
        string[] | null
      >,
      total: sql`page.total`.mapWith(integer),
    };
    const isShown = hasMembers ? sql`page.before < ${sql.raw(String(MAX_LISTED_USERS))}` : sql`1`;
    return selectRows(
      fields,
      (columns) => sql`select ${columns} from ${page} cross join ${groups} on ${id} = page.key
        where ${isShown} order by ${name_key}`,
    );
  });
  // The statement is built here, so that `values` is complete when it is bound.
  void select.text;
  return select({ companyId, values, ...page });
}
