import { uuid } from "../../../kit/ids";
import type { JsonObject } from "../../../kit/json";
import { Problem } from "../../problem";
import { difference, type PlannedChange } from "../../users/groups/group-change";
import type { Reader } from "../protocol/endpoint";
import { changesOfResource, readOperations } from "../protocol/patch";
import { badRequest } from "../protocol/scim-problem";
import { type GroupChange, readGroupChange } from "./directory-group";
import { findGroup, type GroupRow, listGroupIds, listUserIds } from "./group.store";

/** A request that changes groups. `id` is the id in the path, or null for POST. */
export type GroupRequest = { method: "POST" | "PUT" | "PATCH" | "DELETE"; id: string | null; body: JsonObject };

/** A planned change of a group. */
export type GroupPlan =
  | {
      operation: "create";
      group: { id: string; displayName: string; externalId: string | null; userIds: number[]; groupIds: string[] };
    }
  | { operation: "replace" | "update"; group: GroupRow; change: PlannedChange }
  | { operation: "delete"; group: GroupRow; userIds: number[]; groupIds: string[] };

/** Plans a change of groups without writing. Throws 400 and 404. */
export async function planGroupRequest({ method, id, body }: GroupRequest, read: Reader): Promise<GroupPlan> {
  if (method === "DELETE") return planDeletion(id, read);
  const requested = readGroupChange(method === "PATCH" ? readOperations(body) : changesOfResource(body));
  if (method !== "PATCH" && requested.displayName === undefined)
    throw badRequest("invalidValue", "displayName is required.");
  if (method === "POST") {
    // A creation reads nothing, but the token must be verified before it writes.
    await read(() => ({}));
    return planCreation(requested);
  }
  const listed = requested.replaces ? null : [...requested.added.users, ...requested.removed.users];
  const { group, users, groups } = await read((companyId) => ({
    group: findGroup({ companyId, id: idOf(id) }),
    users: listUserIds({ id: idOf(id), userIds: listed }),
    groups: listGroupIds({ id: idOf(id) }),
  }));
  if (group.first === null) throw notFound();
  const userIds = users.rows.map(({ user_id }) => user_id);
  const groupIds = groups.rows.map(({ member_group_id }) => member_group_id);
  const change = {
    displayName: requested.displayName ?? group.first.display_name,
    externalId: requested.externalId === undefined ? group.first.external_id : requested.externalId,
    users: differenceOf(userIds, requested, "users"),
    memberGroups: differenceOf(groupIds, requested, "groups"),
  };
  return { operation: method === "PUT" ? "replace" : "update", group: group.first, change };
}

function planCreation({ displayName = "", externalId = null, added }: GroupChange): GroupPlan {
  const group = { id: uuid(), displayName, externalId, userIds: [...added.users], groupIds: [...added.groups] };
  return { operation: "create", group };
}

async function planDeletion(id: string | null, read: Reader): Promise<GroupPlan> {
  const { group, users, groups } = await read((companyId) => ({
    group: findGroup({ companyId, id: idOf(id) }),
    users: listUserIds({ id: idOf(id), userIds: null }),
    groups: listGroupIds({ id: idOf(id) }),
  }));
  if (group.first === null) throw notFound();
  const userIds = users.rows.map(({ user_id }) => user_id);
  const groupIds = groups.rows.map(({ member_group_id }) => member_group_id);
  return { operation: "delete", group: group.first, userIds, groupIds };
}

/** Returns the change of a list. `present` has all members if the change replaces them, otherwise those that it names. */
function differenceOf<K extends "users" | "groups", T extends number | string>(
  present: readonly T[],
  { replaces, added, removed }: GroupChange,
  kind: K,
) {
  const requested = added[kind] as unknown as Set<T>;
  if (replaces) return difference(present, [...requested]);
  const removedIds = removed[kind] as unknown as Set<T>;
  const after = present.filter((id) => !removedIds.has(id));
  return difference(present, [...after, ...requested]);
}

const notFound = () => new Problem("not_found", { message: "There is no group with this id." });
const idOf = (id: string | null) => id?.toLowerCase() ?? "";
