import { type SQL, sql } from "drizzle-orm";
import { isCompanyActive } from "../../../../db/identity/conditions/write-checks";
import { group_groups, group_members, groups, memberships, preferences, users } from "../../../../db/identity/schema";
import { boolean, integer, json, type Kind, nullable, text } from "../../../kit/db/kind";
import { selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { company_id, user_id, state, is_owner, last_seen_at, created_at, profile } = memberships;

const filters = {
  access: text,
  isOwner: nullable(boolean),
  isStaff: nullable(boolean),
  isMember: nullable(boolean),
  groupIds: nullable(json<string[]>()),
  joinedAfter: nullable(integer),
  joinedBefore: nullable(integer),
  seenAfter: nullable(integer),
  seenBefore: nullable(integer),
};
type Filters = { [K in keyof typeof filters]: SQL };

/** The values of the filters. The three roles are null when the filter does not name roles. */
export type AudienceFilters = {
  access: string;
  isOwner: boolean | null;
  isStaff: boolean | null;
  isMember: boolean | null;
  groupIds: string[] | null;
  joinedAfter: number | null;
  joinedBefore: number | null;
  seenAfter: number | null;
  seenBefore: number | null;
};

const isEnabled = sql`(${state} = 'allowed' and ${users.is_active} = 1)`;
const isActiveOwner = sql`(${is_owner} = 1 and ${state} = 'allowed')`;

/** Returns the condition that a member matches the filters. The statement must begin with `groupsOfFilter`. */
const matches = (p: Filters) => sql`(${p.access} = 'any' or ${isEnabled} = (${p.access} = 'enabled'))
  and (${p.isOwner} is null or (${p.isOwner} and ${isActiveOwner}) or (${p.isStaff} and ${users.is_staff} = 1)
    or (${p.isMember} and not ${isActiveOwner} and ${users.is_staff} = 0))
  and (${p.joinedAfter} is null or ${created_at} >= ${p.joinedAfter})
  and (${p.joinedBefore} is null or ${created_at} <= ${p.joinedBefore})
  and (${p.seenAfter} is null or ${last_seen_at} >= ${p.seenAfter})
  and (${p.seenBefore} is null or ${last_seen_at} is null or ${last_seen_at} <= ${p.seenBefore})
  and (${p.groupIds} is null or exists (select 1 from ${group_members}
    where ${group_members.user_id} = ${user_id} and ${group_members.group_id} in (select id from filter_groups)))`;

/** Returns the WITH clause of `filter_groups`: the groups of the filter, and all groups that they contain at any depth. */
const groupsOfFilter = (
  p: Filters,
) => sql`with recursive filter_groups(id) as (select value from json_each(${p.groupIds})
  union select ${group_groups.member_group_id} from filter_groups cross join ${group_groups} on ${group_groups.group_id} = filter_groups.id)`;

const nameOf = (key: "first_name" | "last_name") =>
  sql`coalesce(${profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`.mapWith(text);

const listed = {
  id: users.id,
  email: users.email,
  first_name: nameOf("first_name"),
  last_name: nameOf("last_name"),
  language: sql`case when ${preferences.language} in ('en', 'fr') then ${preferences.language} end`.mapWith(
    nullable(text as Kind<"en" | "fr">),
  ),
};
const joins = sql`cross join ${users} on ${users.id} = ${user_id}
  left join ${preferences} on ${preferences.user_id} = ${users.id}`;

const numbered = { companyId: company_id, ...filters, userIds: nullable(json<number[]>()) };
const isListed = (p: { userIds: SQL }) =>
  sql`(${p.userIds} is null or ${user_id} in (select value from json_each(${p.userIds})))`;

/** Selects a numbered page of the audience, ordered by user id. Reads all members before the page. */
export const listAudience = statement({ ...numbered, limit: integer, offset: integer }, (p) =>
  selectRows(
    listed,
    (columns) => sql`${groupsOfFilter(p)} select ${columns} from ${memberships} ${joins}
      where ${company_id} = ${p.companyId} and ${isListed(p)} and ${matches(p)}
      order by ${user_id} limit ${p.limit} offset ${p.offset}`,
  ),
);

export type AudienceRow = RowOfStatement<typeof listAudience>;

/** Selects the number of users in the audience. Reads all members. */
export const countAudience = statement(numbered, (p) =>
  selectRows(
    { total: sql`count(*)`.mapWith(integer) },
    (
      columns,
    ) => sql`${groupsOfFilter(p)} select ${columns} from ${memberships} cross join ${users} on ${users.id} = ${user_id}
      where ${company_id} = ${p.companyId} and ${isListed(p)} and ${matches(p)}`,
  ),
);

const cursorPage = { companyId: company_id, after: user_id, scanLimit: integer };

/** Selects the audience among the `scanLimit` members that follow the user id `after`. */
export const scanAudience = statement({ ...cursorPage, ...filters, limit: integer }, (p) =>
  selectRows(
    listed,
    (columns) => sql`${groupsOfFilter(p)},
      scanned(id) as materialized (select ${user_id} from ${memberships} where ${company_id} = ${p.companyId} and ${user_id} > ${p.after}
        order by ${user_id} limit ${p.scanLimit})
      select ${columns} from scanned
        cross join ${memberships} on ${company_id} = ${p.companyId} and ${user_id} = scanned.id ${joins}
      where ${matches(p)} order by scanned.id limit ${p.limit}`,
  ),
);

/** Selects the last of the `scanLimit` members that follow the user id `after`, or no row when there are fewer. */
export const findScanEnd = statement(cursorPage, (p) =>
  selectRows(
    { id: sql`${user_id}`.mapWith(integer) },
    (
      columns,
    ) => sql`select ${columns} from ${memberships} where ${company_id} = ${p.companyId} and ${user_id} > ${p.after}
      order by ${user_id} limit 1 offset ${p.scanLimit} - 1`,
  ),
);

/** Selects the audience among the listed users whose id is above `after`. */
export const listAudienceOfIds = statement(
  { companyId: company_id, after: user_id, userIds: json<number[]>(), ...filters, limit: integer },
  (p) =>
    selectRows(
      listed,
      (columns) => sql`${groupsOfFilter(p)} select ${columns} from json_each(${p.userIds}) listed
        cross join ${memberships} on ${company_id} = ${p.companyId} and ${user_id} = listed.value ${joins}
        where listed.value > ${p.after} and ${matches(p)} order by ${user_id} limit ${p.limit}`,
    ),
);

/** Selects how many of the listed groups belong to the company. */
export const countListedGroups = statement({ companyId: company_id, groupIds: json<string[]>() }, (p) =>
  selectRows(
    { total: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from ${groups}
      where ${groups.id} in (select value from json_each(${p.groupIds})) and ${groups.company_id} = ${p.companyId}`,
  ),
);

/** Selects the user if they may send for the company while it is active: an active owner, or active staff. */
export const findSender = statement({ companyId: company_id, userId: users.id }, (p) =>
  selectRows(
    { id: users.id },
    (columns) => sql`select ${columns} from ${users} where ${users.id} = ${p.userId} and ${users.is_active} = 1
        and ${isCompanyActive(p.companyId)} and (${users.is_staff} = 1 or exists (select 1 from ${memberships}
          where ${company_id} = ${p.companyId} and ${user_id} = ${p.userId} and ${isActiveOwner}))`,
  ),
);
