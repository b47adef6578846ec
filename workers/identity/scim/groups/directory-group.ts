import type { Filter } from "../../../../db/identity/conditions/scim-filter";
import { isVisibleLine } from "../../../../schemas/text/name";
import { isObject } from "../../../kit/json";
import { type Change, memberOf } from "../protocol/patch";
import { badRequest } from "../protocol/scim-problem";

const MAX_NAME = 255;

/** The members of a group by kind. */
export type Members = { users: Set<number>; groups: Set<string> };

/**
 * A requested change of a group. An undefined field stays as it is. With `replaces`, the members become exactly `added`; otherwise
 * members are added and removed.
 */
export type GroupChange = {
  displayName?: string;
  externalId?: string | null;
  replaces: boolean;
  added: Members;
  removed: Members;
};

const noMembers = (): Members => ({ users: new Set(), groups: new Set() });

/**
 * Returns the change of a group that the operations describe. Ignores attributes that are not stored. Throws 400 `invalidValue` or
 * `invalidFilter`.
 */
export function readGroupChange(changes: readonly Change[]): GroupChange {
  const group: GroupChange = { replaces: false, added: noMembers(), removed: noMembers() };
  for (const change of changes) {
    const value = change.verb === "remove" ? null : change.value;
    if (change.attribute === "displayname") group.displayName = readText("displayName", value) ?? "";
    else if (change.attribute === "externalid") group.externalId = readText("externalId", value);
    else if (change.attribute === "members") changeMembers(group, change);
  }
  if (group.displayName === "") throw badRequest("invalidValue", "displayName is required.");
  return group;
}

function readText(label: string, value: unknown): string | null {
  if (value !== null && typeof value !== "string") throw badRequest("invalidValue", `${label} must be a string.`);
  const text = value?.trim() ?? "";
  if (text.length > MAX_NAME) throw badRequest("invalidValue", `${label} has more than ${MAX_NAME} characters.`);
  if (!isVisibleLine(text)) throw badRequest("invalidValue", `${label} has characters that are not allowed.`);
  return text === "" ? null : text;
}

function changeMembers(group: GroupChange, { verb, filter, subAttribute, value }: Change): void {
  // Of a member, only the id is stored.
  if (subAttribute !== null && subAttribute !== "value") return;
  if (verb !== "remove" && filter !== null)
    throw badRequest("invalidPath", "A path of members with a filter can only remove members.");
  if (verb !== "remove" && value === null) return;
  const listed = readMembers(filter === null ? value : valuesOf(filter));
  const isAll = filter === null && value === null;
  if (verb === "replace" || (verb === "remove" && isAll)) {
    group.replaces = true;
    group.added = listed;
    group.removed = noMembers();
    return;
  }
  const [into, from] = verb === "add" ? [group.added, group.removed] : [group.removed, group.added];
  for (const id of listed.users) move(id, into.users, from.users);
  for (const id of listed.groups) move(id, into.groups, from.groups);
}

function move<T>(id: T, into: Set<T>, from: Set<T>): void {
  into.add(id);
  from.delete(id);
}

/** Returns the values of a value path such as `members[value eq "42" or value eq "43"]`. */
function valuesOf(filter: Filter): string[] {
  if (filter.kind === "or") return [...valuesOf(filter.left), ...valuesOf(filter.right)];
  if (filter.kind === "compare" && filter.operator === "eq" && filter.attribute === "members.value")
    return [String(filter.value)];
  throw badRequest("invalidFilter", "A path of members can only compare value by eq.");
}

/** Reads a list of members, or one member. A member is an object with a value, or the value itself. Other keys are ignored. */
function readMembers(value: unknown): Members {
  const members = noMembers();
  const listed: unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
  for (const item of listed) {
    const id = isObject(item) ? memberOf(item, "value") : item;
    const text = typeof id === "number" ? String(id) : id;
    if (typeof text === "string" && /^[1-9]\d{0,14}$/.test(text)) members.users.add(Number(text));
    else if (typeof text === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
      members.groups.add(text.toLowerCase());
    else throw badRequest("invalidValue", "A member must have the id of a user or a group as its value.");
  }
  return members;
}
