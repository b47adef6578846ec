import { profileOf } from "../account/user.present";
import type { MemberRow } from "./member.store";

/** A member as their company sees them (details 7.1). */
export function presentMember(row: MemberRow) {
  const { first_name, last_name, metadata } = profileOf(row);
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    first_name,
    last_name,
    is_staff: row.is_staff === 1,
    is_company_owner: row.state === "allowed" && row.is_owner === 1,
    is_active: row.state === "allowed",
    access_state: row.state,
    state_reason: row.state_reason,
    groups: [],
    user_metadata: metadata,
    last_seen_at: row.last_seen_at === null ? null : new Date(row.last_seen_at).toISOString(),
    created_at: new Date(row.member_since).toISOString(),
  };
}
