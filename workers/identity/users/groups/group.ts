import { type GroupChange, type GroupInput, MAX_GROUP_USERS } from "../../../../schemas/identity/people/groups";
import type { Result } from "../../../kit/db/db";
import { uuid } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import { conflictOnConstraint, Problem } from "../../problem";
import { findGroup, type GroupRow, listGroupUserIds, listGroupUsers, listMemberGroups } from "./group.store";
import {
  changedFieldsOf,
  changeStatements,
  creationStatements,
  deletionStatements,
  difference,
  isEmpty,
  type PlannedChange,
  type Target,
} from "./group-change";

/**
 * Maximum number of attempts of a change. An attempt fails when another request changes the group between the read and the
 * write of the attempt.
 */
const MAX_TRIES = 10;

/** A group with its direct members, of which `users` has the first 1,000. */
export type GroupContent = {
  group: GroupRow;
  users: { user_id: number; email: string }[];
  memberGroups: { id: string; display_name: string }[];
};

/** A group before a change, with the ids of all its direct users. */
export type CurrentGroup = GroupContent & { userIds: number[] };

/** Returns the statements that select a group with its direct members. */
export function selectGroupContent(companyId: number, id: string) {
  return {
    group: findGroup({ companyId, id }),
    users: listGroupUsers({ id, limit: MAX_GROUP_USERS }),
    memberGroups: listMemberGroups({ id }),
  };
}

type ContentResults = {
  group: Result<GroupRow>;
  users: Result<GroupContent["users"][number]>;
  memberGroups: Result<GroupContent["memberGroups"][number]>;
};

/** Returns the content from the results of selectGroupContent, or null when there is no group. */
export function contentOf({ group, users, memberGroups }: ContentResults): GroupContent | null {
  return group.first && { group: group.first, users: users.rows, memberGroups: memberGroups.rows };
}

/** Returns the statements that select a group for a change. */
export function selectCurrentGroup(companyId: number, id: string) {
  return { ...selectGroupContent(companyId, id), userIds: listGroupUserIds({ id }) };
}

/** Returns the results of selectCurrentGroup, or null. Throws 403 `group_read_only` when the directory manages the group. */
export function currentOf(results: ContentResults & { userIds: Result<{ user_id: number }> }): CurrentGroup | null {
  const content = contentOf(results);
  if (content?.group.source === "scim") throw new Problem("group_read_only");
  return content && { ...content, userIds: results.userIds.rows.map(({ user_id }) => user_id) };
}

/**
 * Creates a group with its members in one batch with its event. Throws 400 `user_ids: [invalid]` or
 * `member_group_ids: [invalid]` for an id from outside the company, 409 `conflict` for a name that is taken, and
 * `limit_reached` when the company has too many groups.
 */
export async function createGroup(target: Target, input: GroupInput): Promise<GroupContent> {
  const { services, companyId } = target;
  const id = uuid();
  const events: EventKey[] = [];
  const { check, ...content } = await conflictOnConstraint(
    batchWithEvents(
      services.webhooks,
      services.db,
      {
        ...creationStatements(target, events, {
          id,
          displayName: input.display_name,
          externalId: null,
          userIds: [...new Set(input.user_ids)],
          groupIds: [...new Set(input.member_group_ids)],
        }),
        ...selectGroupContent(companyId, id),
      },
      events,
    ),
  );
  requireValid(check.first);
  const created = contentOf(content);
  if (created === null) throw new Problem("limit_reached");
  return created;
}

/**
 * Changes name and members of a group in one batch with its events. Lists are complete; a missing field keeps its value.
 * Writes nothing when no value differs. Throws 400 `user_ids: [invalid]` for a user who is not a member of the company, and
 * 400 `member_group_ids: [invalid]` for a group that is unknown or would form a cycle. Throws 403 `group_read_only` and 404.
 * Throws 409 `conflict` for a name that is taken, and when every attempt failed.
 */
export async function editGroup(target: Target, current: CurrentGroup, input: GroupChange): Promise<GroupContent> {
  let { userIds, ...content } = current;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { group } = content;
    const users = difference(userIds, input.user_ids);
    const memberGroups = difference(
      content.memberGroups.map((member) => member.id),
      input.member_group_ids,
    );
    const change = {
      displayName: input.display_name ?? group.display_name,
      externalId: group.external_id,
      users,
      memberGroups,
    };
    if (changedFieldsOf(group, change).length === 0 && isEmpty(users)) return content;
    const stored = await storeChange(target, group, change);
    if (stored !== null) return stored;
    ({ userIds, ...content } = await readAgain(target, group.id));
  }
  throw new Problem("conflict");
}

/** Stores a planned change. Throws 400 for invalid new members. Returns null, with nothing changed, when the group changed meanwhile. */
async function storeChange(target: Target, group: GroupRow, change: PlannedChange): Promise<GroupContent | null> {
  const { services, companyId } = target;
  const events: EventKey[] = [];
  const { changed, check, ...content } = await conflictOnConstraint(
    batchWithEvents(
      services.webhooks,
      services.db,
      { ...changeStatements(target, events, group, change), ...selectGroupContent(companyId, group.id) },
      events,
    ),
  );
  if (changed.changes > 0) return contentOf(content);
  requireValid(check.first);
  return null;
}

/** Reads a group again after another request changed it. Throws 404 if the group was deleted, and 403 `group_read_only`. */
async function readAgain({ services, companyId }: Target, id: string): Promise<CurrentGroup> {
  const current = currentOf(await services.db.batch(selectCurrentGroup(companyId, id)));
  if (current === null) throw new Problem("not_found");
  return current;
}

/**
 * Deletes a group in one batch with its event. Does nothing when the group was deleted meanwhile. Throws 403
 * `group_read_only`, and 409 `conflict` when every attempt failed.
 */
export async function removeGroup(target: Target, current: CurrentGroup): Promise<void> {
  const { services, companyId } = target;
  let { group, userIds, memberGroups } = current;
  const { id } = group;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const events: EventKey[] = [];
    const { deleted } = await batchWithEvents(
      services.webhooks,
      services.db,
      deletionStatements(target, events, {
        group,
        userIds,
        groupIds: memberGroups.map((member) => member.id),
      }),
      events,
    );
    if (deleted.changes > 0) return;
    const again = currentOf(await services.db.batch(selectCurrentGroup(companyId, id)));
    if (again === null) return;
    ({ group, userIds, memberGroups } = again);
  }
  throw new Problem("conflict");
}

/** Throws 400 `[invalid]` for each field with invalid ids. */
function requireValid(
  check: { has_unknown_user: boolean; has_unknown_group: boolean; has_cycle: boolean } | null,
): void {
  const fields = {
    ...(check?.has_unknown_user ? { user_ids: ["invalid"] } : {}),
    ...(check?.has_unknown_group || check?.has_cycle ? { member_group_ids: ["invalid"] } : {}),
  };
  if (Object.keys(fields).length > 0) throw invalid(fields);
}
