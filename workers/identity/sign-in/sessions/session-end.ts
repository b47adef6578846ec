import { type SessionToEnd, selectSessionToEnd } from "../../mail/session-end/session-end-link";
import { readSessionEndToken } from "../../mail/session-end/session-end-token";
import type { IdentityServices } from "../../services";
import { revokeSession } from "./session.store";

/** Returns the session that a token may end, live or not, or null when the token is not genuine or the session is deleted. */
export async function readSessionToEnd(services: IdentityServices, token: string): Promise<SessionToEnd | null> {
  const sid = await readSessionEndToken(services, token);
  return sid === null ? null : services.db.first(selectSessionToEnd(sid));
}

/** Returns whether the session is still live. */
export function isSessionOpen({ clock }: IdentityServices, row: SessionToEnd): boolean {
  return row.revoked_at === null && Math.min(row.idle_expires_at, row.absolute_expires_at) > clock.now();
}

/** Ends the session. Idempotent. */
export async function endSession(
  { db, clock }: IdentityServices,
  { id: sid, user_id: userId }: SessionToEnd,
): Promise<void> {
  await db.run(revokeSession({ sid, userId, now: clock.now(), reason: "ended_by_mail" }));
}
