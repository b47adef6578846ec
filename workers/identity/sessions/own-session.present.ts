import type { SessionListRow } from "./session.store";

/** A row of the caller's sessions (details 4.4); `currentId` is the session of the call, if it has one. */
export function presentSession(row: SessionListRow, currentId: string | null) {
  return {
    id: row.id,
    created_at: new Date(row.created_at).toISOString(),
    last_refresh_at: new Date(row.rotated_at).toISOString(),
    expires_at: new Date(row.idle_expires_at).toISOString(),
    provider: row.provider,
    country: row.country,
    user_agent: row.user_agent,
    current: row.id === currentId,
  };
}
