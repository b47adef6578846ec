import { iso } from "../../../kit/time";
import type { GroupRow } from "./group.store";

const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** A group as SCIM responses show it. Members are null if they were not read. */
export type ShownGroup = Pick<GroupRow, "display_name" | "external_id" | "created_at" | "updated_at"> & {
  /** null for a group that does not exist yet */
  id: string | null;
  user_ids: readonly number[] | null;
  group_ids: readonly string[] | null;
};

/** Returns a group as a SCIM resource (RFC 7643, 4.2). `base` is the URL of the SCIM endpoints. */
export function presentGroup(base: string, group: ShownGroup) {
  const { id, display_name, external_id, created_at, updated_at, user_ids, group_ids } = group;
  const members = [
    ...(user_ids ?? []).map((user) => ({ value: String(user), $ref: `${base}/Users/${user}`, type: "User" })),
    ...(group_ids ?? []).map((groupId) => ({ value: groupId, $ref: `${base}/Groups/${groupId}`, type: "Group" })),
  ];
  return {
    schemas: [GROUP_SCHEMA],
    ...(id === null ? {} : { id }),
    ...(external_id === null ? {} : { externalId: external_id }),
    displayName: display_name,
    ...(user_ids === null ? {} : { members }),
    meta: {
      resourceType: "Group",
      created: iso(created_at),
      lastModified: iso(updated_at),
      ...(id === null ? {} : { location: `${base}/Groups/${id}` }),
    },
  };
}
