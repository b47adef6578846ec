import { type GroupChange, type GroupInput, MAX_GROUP_USERS } from "../../../../schemas/identity/people/groups";
import type { Result } from "../../../kit/db/db";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { groupNamesStatement } from "../../company/memberships/membership";
import { conflictOnConstraint, Problem } from "../../problem";
import { changeEventEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import {
  checkNewMembers,
  findGroup,
  type GroupRow,
  listGroupUserIds,
  listGroupUsers,
  listMemberGroups,
} from "./group.store";
import {
  addMemberGroups,
  addUsers,
  changeGroup,
  deleteGroup,
  insertGroup,
  removeMemberGroups,
  removeUsers,
} from "./group-change.store";

/** Maximum number of groups of a company. */
const MAX_GROUPS = 2000;
/** Maximum number of user ids in an event. */
const MAX_EVENT_USERS = 100;
/**
 * Maximum number of attempts of a change. An attempt fails when another request changes the group between the read and the
 * write of the attempt.
 */
const MAX_TRIES = 10;

/** The caller and the company whose groups change. */
type Target = { services: IdentityServices; caller: Caller; companyId: number };

/** A group with its direct members, of which `users` has the first 1,000. */
export type GroupContent = {
  group: GroupRow;
  users: { user_id: number; email: string }[];
  memberGroups: { id: string; display_name: string }[];
};

/** A group before a change, with the ids of all its direct users. */
export type CurrentGroup = GroupContent & { userIds: number[] };

/** The items that a change adds to a list and removes from it. */
type Difference<T> = { added: T[]; removed: T[] };

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
  const revision = uuid();
  const now = services.clock.now();
  const userIds = [...new Set(input.user_ids)];
  const groupIds = [...new Set(input.member_group_ids)];
  const events: EventKey[] = [];
  const data = { group_id: id, display_name: input.display_name, source: "admin" };
  const values = { id, companyId, source: "admin" as const, ...nameColumns(input.display_name), revision, now };
  const { check, ...content } = await conflictOnConstraint(
    batchWithEvents(
      services.webhooks,
      services.db,
      {
        inserted: followedBy(
          insertGroup({ ...values, userIds, groupIds, max: MAX_GROUPS }),
          changeEventEntry(services, events, { ...target, type: "identity.group.created", data }),
        ),
        ...contentStatements(target, id, revision, { added: userIds, removed: [] }, { added: groupIds, removed: [] }),
        check: checkNewMembers({ companyId, id, userIds, groupIds }),
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
    const changedFields = [
      ...(input.display_name === undefined || input.display_name === group.display_name ? [] : ["display_name"]),
      ...(isEmpty(memberGroups) ? [] : ["member_group_ids"]),
    ];
    if (changedFields.length === 0 && isEmpty(users)) return content;
    const stored = await storeChange(target, group, { input, users, memberGroups, changedFields });
    if (stored !== null) return stored;
    ({ userIds, ...content } = await readAgain(target, group.id));
  }
  throw new Problem("conflict");
}

/** Reads a group again after another request changed it. Throws 404 if the group was deleted, and 403 `group_read_only`. */
async function readAgain({ services, companyId }: Target, id: string): Promise<CurrentGroup> {
  const current = currentOf(await services.db.batch(selectCurrentGroup(companyId, id)));
  if (current === null) throw new Problem("not_found");
  return current;
}

type Plan = {
  input: GroupChange;
  users: Difference<number>;
  memberGroups: Difference<string>;
  changedFields: string[];
};

/**
 * Stores a planned change. Throws 400 for invalid new members. Returns null, with nothing changed, when the group changed
 * meanwhile.
 */
async function storeChange(target: Target, group: GroupRow, plan: Plan): Promise<GroupContent | null> {
  const { services, companyId } = target;
  const { input, users, memberGroups, changedFields } = plan;
  const { id } = group;
  const revision = uuid();
  const displayName = input.display_name ?? group.display_name;
  const data = { group_id: id, display_name: displayName, source: group.source };
  const events: EventKey[] = [];
  const entries: Bound[] = [];
  if (changedFields.length > 0) {
    const updated = { type: "identity.group.updated", data: { ...data, changed_fields: changedFields } } as const;
    entries.push(changeEventEntry(services, events, { ...target, ...updated }));
  }
  if (!isEmpty(users)) {
    const moved = { type: "identity.group.membership_changed", data: { ...data, ...moveOf(users) } } as const;
    entries.push(changeEventEntry(services, events, { ...target, ...moved }));
  }
  const { changed, check, ...content } = await conflictOnConstraint(
    batchWithEvents(
      services.webhooks,
      services.db,
      {
        changed: followedBy(
          changeGroup({
            id,
            companyId,
            planned: group.revision,
            revision,
            ...nameColumns(displayName),
            userCount: group.user_count + users.added.length - users.removed.length,
            newUserIds: users.added,
            newGroupIds: memberGroups.added,
            now: services.clock.now(),
          }),
          ...entries,
        ),
        ...contentStatements(target, id, revision, users, memberGroups, changedFields.includes("display_name")),
        check: checkNewMembers({ companyId, id, userIds: users.added, groupIds: memberGroups.added }),
        ...selectGroupContent(companyId, id),
      },
      events,
    ),
  );
  if (changed.changes > 0) return contentOf(content);
  requireValid(check.first);
  return null;
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
    const data = { group_id: id, display_name: group.display_name, source: group.source };
    const { deleted } = await batchWithEvents(
      services.webhooks,
      services.db,
      {
        deleted: followedBy(
          deleteGroup({ id, companyId, planned: group.revision }),
          changeEventEntry(services, events, { ...target, type: "identity.group.deleted", data }),
        ),
        names: groupNamesStatement({
          companyId,
          userIds,
          groupIds: memberGroups.map((member) => member.id),
        }),
      },
      events,
    );
    if (deleted.changes > 0) return;
    const again = currentOf(await services.db.batch(selectCurrentGroup(companyId, id)));
    if (again === null) return;
    ({ group, userIds, memberGroups } = again);
  }
  throw new Problem("conflict");
}

/**
 * Returns the statements that change the members of a group with this revision, and then update the group names of the
 * affected users. A renamed group affects all its users.
 */
function contentStatements(
  { companyId }: Target,
  id: string,
  revision: string,
  users: Difference<number>,
  memberGroups: Difference<string>,
  isRenamed = false,
): { members: Bound[]; names: Bound } {
  const group = { id, revision };
  return {
    members: [
      ...(users.removed.length > 0 ? [removeUsers({ ...group, userIds: users.removed })] : []),
      ...(users.added.length > 0 ? [addUsers({ ...group, userIds: users.added })] : []),
      ...(memberGroups.removed.length > 0 ? [removeMemberGroups({ ...group, groupIds: memberGroups.removed })] : []),
      ...(memberGroups.added.length > 0 ? [addMemberGroups({ ...group, groupIds: memberGroups.added })] : []),
    ],
    names: groupNamesStatement({
      companyId,
      userIds: [...users.added, ...users.removed],
      groupIds: isRenamed ? [id, ...memberGroups.removed] : [...memberGroups.added, ...memberGroups.removed],
    }),
  };
}

function difference<T>(present: T[], requested: T[] | undefined): Difference<T> {
  if (requested === undefined) return { added: [], removed: [] };
  const [before, after] = [new Set(present), new Set(requested)];
  return {
    added: [...after].filter((id) => !before.has(id)),
    removed: present.filter((id) => !after.has(id)),
  };
}

const isEmpty = ({ added, removed }: Difference<unknown>) => added.length + removed.length === 0;

/** Returns the event data of a change of users. A change that both adds and removes users is reported as a replacement. */
function moveOf({ added, removed }: Difference<number>): { change: string; user_ids: number[] } {
  const user_ids = [...added, ...removed].slice(0, MAX_EVENT_USERS);
  if (removed.length === 0) return { change: "members_added", user_ids };
  return { change: added.length === 0 ? "members_removed" : "members_replaced", user_ids };
}

const nameColumns = (displayName: string) => ({ displayName, nameKey: displayName.toLowerCase() });

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
