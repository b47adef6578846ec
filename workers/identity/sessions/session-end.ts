import type { Bound } from "../../kit/db/statement";
import type { IdentityServices } from "../services";
import { revokeSession } from "./session.store";
import { findSessionToEnd, type SessionToEnd } from "./session-end.store";
import { makeSessionEndToken, readSessionEndToken } from "./session-end-token";

export type { SessionToEnd } from "./session-end.store";

/** The read of a session and of what is said about it. */
export function sessionToEndRead(sid: string): Bound<SessionToEnd> {
  return findSessionToEnd({ sid });
}

/** The address of the page that ends the session; the base never comes from a header. */
export async function sessionEndUrl(services: IdentityServices, sid: string): Promise<string> {
  return `${services.settings.issuer}/api/v1/session-end?token=${await makeSessionEndToken(services, sid)}`;
}

/** The session of a token, live or not; null when the token is not ours, or the session is gone. */
export async function readSessionToEnd(services: IdentityServices, token: string): Promise<SessionToEnd | null> {
  const sid = await readSessionEndToken(services, token);
  return sid === null ? null : services.db.first(findSessionToEnd({ sid }));
}

/** Whether the session still lets anybody in. */
export function isSessionOpen({ clock }: IdentityServices, row: SessionToEnd): boolean {
  return row.revoked_at === null && Math.min(row.idle_expires_at, row.absolute_expires_at) > clock.now();
}

/** Ends it; a repeat changes nothing. */
export async function endSession(
  { db, clock }: IdentityServices,
  { id: sid, user_id: userId }: SessionToEnd,
): Promise<void> {
  await db.run(revokeSession({ sid, userId, now: clock.now(), reason: "ended_by_mail" }));
}
