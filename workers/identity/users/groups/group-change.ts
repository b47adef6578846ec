import { nameKeyOf } from "../../../../db/identity/groups";
import type { Bound } from "../../../kit/db/statement";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import type { EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { groupNamesStatement } from "../../company/memberships/membership";
import { changeEventEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { checkNewMembers, type GroupRow } from "./group.store";
import {
  addMemberGroups,
  addUsers,
  changeGroup,
  deleteGroup,
  insertGroup,
  removeMemberGroups,
  removeUsers,
} from "./group-change.store";

// The statements of a change of groups, for administrators and for the directory.

/** Maximum number of groups of a company. */
const MAX_GROUPS = 2000;
/** Maximum number of user ids in an event. */
const MAX_EVENT_USERS = 100;

/** The company whose groups change, and the user who changes them; null for the directory. */
export type Target = { services: IdentityServices; caller: Caller | null; companyId: number };

/** The items that a change adds to a list and removes from it. */
export type Difference<T> = { added: T[]; removed: T[] };

/** A change of a group, with its values after the change. */
export type PlannedChange = {
  displayName: string;
  externalId: string | null;
  users: Difference<number>;
  memberGroups: Difference<string>;
};

/** A new group with its direct members. */
type NewGroup = {
  id: string;
  displayName: string;
  externalId: string | null;
  userIds: number[];
  groupIds: string[];
};

/**
 * Returns the statements that create a group with its event. `check` returns whether members are invalid. A name that is taken
 * violates a constraint. The group is missing afterwards if members are invalid or the company has too many groups.
 */
export function creationStatements(target: Target, events: EventKey[], group: NewGroup) {
  const { services, companyId, caller } = target;
  const { id, displayName, externalId, userIds, groupIds } = group;
  const revision = uuid();
  const source = caller === null ? ("scim" as const) : ("admin" as const);
  const values = {
    id,
    companyId,
    source,
    ...nameColumns(displayName),
    externalId,
    revision,
    now: services.clock.now(),
  };
  const data = { group_id: id, display_name: displayName, source };
  return {
    inserted: followedBy(
      insertGroup({ ...values, userIds, groupIds, max: MAX_GROUPS }),
      changeEventEntry(services, events, { ...target, type: "identity.group.created", data }),
    ),
    ...contentStatements(target, id, revision, { added: userIds, removed: [] }, { added: groupIds, removed: [] }),
    check: checkNewMembers({ companyId, id, userIds, groupIds }),
  };
}

/** Returns the statement that selects whether new members of a group are invalid. */
export function selectMemberCheck(companyId: number, group: { id: string; userIds: number[]; groupIds: string[] }) {
  return checkNewMembers({ companyId, ...group });
}

/** Returns the changed fields by the names that events use. */
export function changedFieldsOf(group: GroupRow, { displayName, externalId, memberGroups }: PlannedChange): string[] {
  return [
    ...(displayName === group.display_name ? [] : ["display_name"]),
    ...(externalId === group.external_id ? [] : ["external_id"]),
    ...(isEmpty(memberGroups) ? [] : ["member_group_ids"]),
  ];
}

/**
 * Returns the statements of a planned change with its events. `changed` changes no row if another request changed the group
 * meanwhile, or if members are invalid, which `check` returns. A name that is taken violates a constraint.
 */
export function changeStatements(target: Target, events: EventKey[], group: GroupRow, change: PlannedChange) {
  const { services, companyId } = target;
  const { users, memberGroups, displayName, externalId } = change;
  const { id } = group;
  const revision = uuid();
  const data = { group_id: id, display_name: displayName, source: group.source };
  const changedFields = changedFieldsOf(group, change);
  const entries: Bound[] = [];
  if (changedFields.length > 0) {
    const updated = { type: "identity.group.updated", data: { ...data, changed_fields: changedFields } } as const;
    entries.push(changeEventEntry(services, events, { ...target, ...updated }));
  }
  if (!isEmpty(users)) {
    const moved = { type: "identity.group.membership_changed", data: { ...data, ...moveOf(users) } } as const;
    entries.push(changeEventEntry(services, events, { ...target, ...moved }));
  }
  return {
    changed: followedBy(
      changeGroup({
        id,
        companyId,
        planned: group.revision,
        revision,
        ...nameColumns(displayName),
        externalId,
        userCount: group.user_count + users.added.length - users.removed.length,
        newUserIds: users.added,
        newGroupIds: memberGroups.added,
        now: services.clock.now(),
      }),
      ...entries,
    ),
    ...contentStatements(target, id, revision, users, memberGroups, displayName !== group.display_name),
    check: checkNewMembers({ companyId, id, userIds: users.added, groupIds: memberGroups.added }),
  };
}

/** Returns the statements that delete a group with these direct members, with its event, unless it changed meanwhile. */
export function deletionStatements(
  target: Target,
  events: EventKey[],
  { group, userIds, groupIds }: { group: GroupRow; userIds: number[]; groupIds: string[] },
) {
  const { services, companyId } = target;
  const { id, display_name, source, revision } = group;
  const data = { group_id: id, display_name, source };
  return {
    deleted: followedBy(
      deleteGroup({ id, companyId, planned: revision }),
      changeEventEntry(services, events, { ...target, type: "identity.group.deleted", data }),
    ),
    names: groupNamesStatement({ companyId, userIds, groupIds }),
  };
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

/** Returns what changes a list to `requested`; an undefined list stays as it is. */
export function difference<T>(present: readonly T[], requested: readonly T[] | undefined): Difference<T> {
  if (requested === undefined) return { added: [], removed: [] };
  const [before, after] = [new Set(present), new Set(requested)];
  return {
    added: [...after].filter((id) => !before.has(id)),
    removed: present.filter((id) => !after.has(id)),
  };
}

/** Returns whether a difference changes nothing. */
export const isEmpty = ({ added, removed }: Difference<unknown>): boolean => added.length + removed.length === 0;

/** Returns the event data of a change of users. A change that both adds and removes users is reported as a replacement. */
function moveOf({ added, removed }: Difference<number>): { change: string; user_ids: number[] } {
  const user_ids = [...added, ...removed].slice(0, MAX_EVENT_USERS);
  if (removed.length === 0) return { change: "members_added", user_ids };
  return { change: added.length === 0 ? "members_removed" : "members_replaced", user_ids };
}

const nameColumns = (displayName: string) => ({ displayName, nameKey: nameKeyOf(displayName) });
