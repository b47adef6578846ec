import { iso } from "../../../kit/time";
import { profileOf } from "../profiles/company-user";
import type { MemberRow } from "./member.store";

/** Returns a member as their company sees them. */
export function presentMember(row: MemberRow) {
  const { first_name, last_name, metadata } = profileOf(row);
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    first_name,
    last_name,
    is_staff: row.is_staff,
    is_company_owner: row.state === "allowed" && row.is_owner === true,
    is_active: row.state === "allowed",
    access_state: row.state,
    state_reason: row.state_reason,
    groups: row.groups.map(({ id, display_name }) => ({ id, display_name })),
    user_metadata: metadata,
    last_seen_at: iso(row.last_seen_at),
    created_at: iso(row.member_since),
  };
}
