import { iso } from "../../../kit/time";
import type { GroupContent } from "./group";
import type { GroupRow } from "./group.store";

/** Returns a group as lists show it. */
export function presentGroup(row: GroupRow) {
  return {
    id: row.id,
    display_name: row.display_name,
    source: row.source,
    user_count: row.user_count,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

/** Returns a group with its direct members. */
export function presentGroupDetail({ group, users, memberGroups }: GroupContent) {
  return { ...presentGroup(group), members: users, member_groups: memberGroups };
}
