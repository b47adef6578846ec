import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { event_log, group_groups, group_members, groups, memberships, users } from "../../../../db/identity/schema";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { insertSelect, isInList, jsonEach, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { company_id, id, revision } = groups;

/** Returns the condition that the first statement of the batch gave the group this revision. */
const hasRevision = (p: { id: SQLWrapper; revision: SQLWrapper }) =>
  sql`exists (select 1 from ${groups} where ${id} = ${p.id} and ${revision} = ${p.revision})`;

/** Returns the condition that all listed users are members of the company. */
const areMembers = (companyId: SQLWrapper, userIds: SQLWrapper) =>
  sql`not exists (select 1 from json_each(${userIds}) listed where not exists (select 1 from ${memberships}
    where ${memberships.company_id} = ${companyId} and ${memberships.user_id} = listed.value))`;

/** Returns the condition that all listed groups belong to the company and do not contain the group `containerId`. */
const canContain = (companyId: SQLWrapper, containerId: SQLWrapper, groupIds: SQLWrapper) =>
  sql`not exists (select 1 from json_each(${groupIds}) listed where not exists (select 1 from ${groups} stored
      where stored.id = listed.value and stored.company_id = ${companyId}))
    and not exists (with recursive contained(id) as (select value from json_each(${groupIds})
      union select ${group_groups.member_group_id} from contained
        cross join ${group_groups} on ${group_groups.group_id} = contained.id)
      select 1 from contained where contained.id = ${containerId})`;

/**
 * Inserts a group. Inserts nothing when a listed user is not a member, a listed group is unknown, or the company has `max`
 * groups. A name that is taken violates the unique index and rolls back the batch.
 */
export const insertGroup = statement(
  {
    id,
    companyId: company_id,
    source: groups.source,
    displayName: groups.display_name,
    nameKey: groups.name_key,
    externalId: groups.external_id,
    userIds: json<number[]>(),
    groupIds: json<string[]>(),
    revision,
    now: groups.created_at,
    max: integer,
  },
  (p) =>
    insertSelect(
      groups,
      {
        id: p.id,
        company_id: p.companyId,
        source: p.source,
        display_name: p.displayName,
        name_key: p.nameKey,
        external_id: p.externalId,
        user_count: sql`json_array_length(${p.userIds})`,
        revision: p.revision,
        created_at: p.now,
        updated_at: p.now,
      },
      // A batch that is repeated after a lost response must not violate the primary key.
      sql`where not exists (select 1 from ${groups} where ${id} = ${p.id}) and (select count(*) from ${groups} where ${company_id} = ${p.companyId}) < ${p.max}
        and ${areMembers(p.companyId, p.userIds)} and ${canContain(p.companyId, p.id, p.groupIds)}`,
    ),
);

/**
 * Begins the change of a group. Changes nothing unless the group has the revision `planned`, all new users are members of
 * the company, and all new groups belong to the company and do not contain the group.
 */
export const changeGroup = statement(
  {
    id,
    companyId: company_id,
    planned: revision,
    revision,
    displayName: groups.display_name,
    nameKey: groups.name_key,
    externalId: groups.external_id,
    userCount: groups.user_count,
    newUserIds: json<number[]>(),
    newGroupIds: json<string[]>(),
    now: groups.updated_at,
  },
  (p) =>
    queryBuilder
      .update(groups)
      .set({
        display_name: p.displayName,
        name_key: p.nameKey,
        external_id: p.externalId,
        user_count: p.userCount,
        revision: p.revision,
        updated_at: p.now,
      })
      .where(
        and(
          eq(id, p.id),
          eq(company_id, p.companyId),
          eq(revision, p.planned),
          areMembers(p.companyId, p.newUserIds),
          canContain(p.companyId, p.id, p.newGroupIds),
        ),
      ),
);

/**
 * Deletes a group that has the revision `planned`. A trigger removes its members, and removes the group from other groups.
 */
export const deleteGroup = statement({ id, companyId: company_id, planned: revision }, (p) =>
  queryBuilder.delete(groups).where(and(eq(id, p.id), eq(company_id, p.companyId), eq(revision, p.planned))),
);

const listed = { id, revision };

/** Adds users to a group that has this revision. */
export const addUsers = statement({ ...listed, userIds: json<number[]>() }, (p) => {
  const user = jsonEach(p.userIds);
  const values = { group_id: p.id, user_id: user.value };
  return insertSelect(group_members, values, sql`from ${user.from} where ${hasRevision(p)} on conflict do nothing`);
});

/** Removes users from a group that has this revision. */
export const removeUsers = statement({ ...listed, userIds: json<number[]>() }, (p) =>
  queryBuilder
    .delete(group_members)
    .where(and(eq(group_members.group_id, p.id), isInList(group_members.user_id, p.userIds), hasRevision(p))),
);

/** Adds groups to a group that has this revision. */
export const addMemberGroups = statement({ ...listed, groupIds: json<string[]>() }, (p) => {
  const group = jsonEach(p.groupIds);
  const values = { group_id: p.id, member_group_id: group.value };
  return insertSelect(group_groups, values, sql`from ${group.from} where ${hasRevision(p)} on conflict do nothing`);
});

/** Removes groups from a group that has this revision. */
export const removeMemberGroups = statement({ ...listed, groupIds: json<string[]>() }, (p) =>
  queryBuilder
    .delete(group_groups)
    .where(and(eq(group_groups.group_id, p.id), isInList(group_groups.member_group_id, p.groupIds), hasRevision(p))),
);

// These statements change the groups of one member, when an administrator sets them in the member's record.

/** A group that a member joins or leaves, and the id of the event that reports it. */
export type Move = { group_id: string; event_id: string; change: "members_added" | "members_removed" };

const membership = { companyId: company_id, userId: group_members.user_id, moves: json<Move[]>() };

/** Selects the groups in `moves` that have this change, belong to the company and are managed by administrators. */
const movedGroups = (p: { companyId: SQLWrapper; moves: SQLWrapper }, change: Move["change"]) =>
  sql`select ${id} from json_each(${p.moves}) move cross join ${groups} on ${id} = move.value ->> 'group_id'
    where ${company_id} = ${p.companyId} and ${groups.source} = 'admin' and move.value ->> 'change' = ${sql.raw(`'${change}'`)}`;

/** Adds a member of the company to the groups that the moves add. */
export const joinGroups = statement(membership, (p) =>
  insertSelect(
    group_members,
    { group_id: sql`added.id`, user_id: p.userId },
    sql`from (${movedGroups(p, "members_added")}) added where exists (select 1 from ${memberships}
      where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${p.userId}) on conflict do nothing`,
  ),
);

/** Removes a user from the groups that the moves remove. */
export const leaveGroups = statement(membership, (p) =>
  queryBuilder
    .delete(group_members)
    .where(
      and(
        eq(group_members.user_id, p.userId),
        sql`${group_members.group_id} in (${movedGroups(p, "members_removed")})`,
      ),
    ),
);

/** Recounts the users of the moved groups and gives each of these groups a new revision. */
export const countGroupUsers = statement(
  { companyId: company_id, moves: json<Move[]>(), now: groups.updated_at },
  (p) =>
    queryBuilder
      .update(groups)
      .set({
        user_count: sql`(select count(*) from ${group_members} where ${group_members.group_id} = ${id})`,
        revision: sql`lower(hex(randomblob(16)))`,
        updated_at: p.now,
      })
      .where(
        and(
          eq(company_id, p.companyId),
          sql`${id} in (select value ->> 'group_id' from json_each(${p.moves}))`,
          eq(groups.source, "admin"),
        ),
      ),
);

/** Inserts `identity.group.membership_changed` for each moved group. Must run directly after countGroupUsers. */
export const insertGroupMoves = statement(
  {
    companyId: company_id,
    userId: integer,
    moves: json<Move[]>(),
    callerId: users.id,
    actor: nullable(text),
    now: event_log.created_at,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        id: sql`move.value ->> 'event_id'`,
        company_id: p.companyId,
        event_type: "identity.group.membership_changed",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_object('change', move.value ->> 'change', 'display_name', ${groups.display_name},
          'group_id', ${id}, 'source', ${groups.source}, 'user_ids', json_array(${p.userId}))`,
        actor: p.actor,
        created_at: p.now,
      },
      sql`from json_each(${p.moves}) move cross join ${groups} on ${id} = move.value ->> 'group_id'
        cross join ${users} on ${users.id} = ${p.callerId}
        where changes() > 0 and ${company_id} = ${p.companyId} and ${groups.source} = 'admin' on conflict do nothing`,
    ),
);
