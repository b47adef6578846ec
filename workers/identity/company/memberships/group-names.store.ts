import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { group_groups, group_members, groups, memberships, users } from "../../../../db/identity/schema";
import { json } from "../../../kit/db/kind";
import { columnName, jsonEach } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The maximum number of group names in a token, and the maximum size of their JSON in bytes. */
const MAX_NAMES = 200;
const MAX_NAME_BYTES = 4096;

/**
 * Updates the group names that are stored in memberships: those of `userIds`, and those of all users who are in `groupIds`
 * directly or through other groups. Run it after a change of groups, with the users and groups that the change added or
 * removed. A renamed group counts as added. Writes only memberships whose names changed.
 */
export const refreshGroupNames = statement(
  { companyId: memberships.company_id, userIds: json<number[]>(), groupIds: json<string[]>() },
  (p) => namesUpdate(p.companyId, p.groupIds, sql`select value from json_each(${p.userIds})`),
);

/** Like refreshGroupNames, for the users with these addresses. */
export const refreshGroupNamesOfAddresses = statement(
  { companyId: memberships.company_id, emails: json<string[]>() },
  (p) => {
    const listed = jsonEach(p.emails, "listed");
    const userIds = sql`select ${users.id} from ${listed.from} cross join ${users} on ${users.email} = ${listed.value}`;
    return namesUpdate(p.companyId, sql`'[]'`, userIds);
  },
);

function namesUpdate(companyId: SQLWrapper, groupIds: SQLWrapper, userIds: SQL): SQL {
  return sql`with recursive
    inner_groups(id) as (
      select value from json_each(${groupIds})
      union select ${group_groups.member_group_id} from inner_groups
        cross join ${group_groups} on ${group_groups.group_id} = inner_groups.id),
    affected(user_id) as (
      ${userIds}
      union select ${group_members.user_id} from inner_groups
        cross join ${group_members} on ${group_members.group_id} = inner_groups.id),
    belongs(user_id, group_id) as (
      select affected.user_id, ${group_members.group_id} from affected
        cross join ${group_members} on ${group_members.user_id} = affected.user_id
      union select belongs.user_id, ${group_groups.group_id} from belongs
        cross join ${group_groups} on ${group_groups.member_group_id} = belongs.group_id),
    numbered(user_id, name, position, bytes) as (
      select belongs.user_id, ${groups.display_name}, row_number() over names,
        sum(length(cast(json_quote(${groups.display_name}) as blob)) + 1) over names
      from belongs cross join ${groups} on ${groups.id} = belongs.group_id and ${groups.company_id} = ${companyId}
      window names as (partition by belongs.user_id order by ${groups.display_name}, ${groups.id}
        rows unbounded preceding)),
    effective(user_id, names, is_truncated) as (
      select affected.user_id,
        json_group_array(numbered.name order by numbered.position)
          filter (where numbered.position <= ${MAX_NAMES} and numbered.bytes < ${MAX_NAME_BYTES}),
        coalesce(max(numbered.position > ${MAX_NAMES} or numbered.bytes >= ${MAX_NAME_BYTES}), 0)
      from affected left join numbered on numbered.user_id = affected.user_id group by affected.user_id)
    update ${memberships} set ${columnName(memberships.group_names)} = nullif(effective.names, '[]'),
      ${columnName(memberships.groups_truncated)} = effective.is_truncated
    from effective where ${memberships.company_id} = ${companyId} and ${memberships.user_id} = effective.user_id
      and (${memberships.group_names} is not nullif(effective.names, '[]')
        or ${memberships.groups_truncated} <> effective.is_truncated)`;
}
