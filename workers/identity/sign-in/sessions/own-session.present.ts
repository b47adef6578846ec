import { iso } from "../../../kit/time";
import type { SessionListRow } from "./own-session.store";

/** Returns a session as the API shows it; `currentId` is the session of the request, if any. */
export function presentSession(row: SessionListRow, currentId: string | null) {
  return {
    id: row.id,
    created_at: iso(row.created_at),
    last_refresh_at: iso(row.rotated_at),
    expires_at: iso(row.idle_expires_at),
    provider: row.provider,
    country: row.country,
    user_agent: row.user_agent,
    current: row.id === currentId,
  };
}
