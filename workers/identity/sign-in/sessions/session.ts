import { type Bound, followedBy } from "../../../kit/db/statement";
import { dayStart } from "../../../kit/time";
import { auditData, type ClientContext } from "../../caller/client/client-context";
import { isSessionLive, requireAccess, selectLiveSession, tokenInvalid } from "../../caller/credentials/credential";
import { readRefreshToken } from "../../caller/credentials/refresh-token";
import { issueTokens, type TokenPayload } from "../../caller/credentials/token";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import {
  insertReuseEvent,
  revokeReusedSession,
  revokeSession,
  revokeSessionOfFormerMember,
  revokeSessionsOfUser,
  rotateSession,
  touchMembership,
} from "./session.store";

/**
 * Exchanges a refresh token for a new access token and a new refresh token. Check, reuse detection and rotation run in one
 * batch. For a short grace period, the previous refresh token returns a new access token and the current refresh token, because
 * two tabs may refresh at the same time. Any older token ends the session and throws `refresh_token_reused`.
 */
export async function refreshSession(
  services: IdentityServices,
  token: string,
  companyId: number | null,
  client: ClientContext,
): Promise<TokenPayload> {
  const { db, clock, settings, log } = services;
  const read = await readRefreshToken(services, token);
  if (!read) throw tokenInvalid();
  const { sid, counter } = read;
  const now = clock.now();
  const { rotated, reused, live } = await db.batch({
    rotated: rotateSession({ sid, counter, now, idleMs: settings.refreshIdleMs, companyId }),
    reused: await endReusedSession(services, read, client, now),
    seen: touchMembership({ sid, now, today: dayStart(now) }),
    live: selectLiveSession(sid),
  });
  const row = live.first;
  if (reused.first) {
    log.warn("refresh token reused, session ended", { company_id: row?.company_id });
    throw new Problem("refresh_token_reused");
  }
  if (!row || !isSessionLive(row, now) || !row.is_active || row.state === null) throw tokenInvalid();
  requireAccess(row);
  if (companyId !== null && companyId !== row.company_id) throw new Problem("company_mismatch");
  if (!rotated.first && !isPreviousInGrace(row, counter, now, settings.refreshGraceMs)) throw tokenInvalid();
  const session = { sid, companyId: row.company_id, provider: row.provider, authTime: row.auth_time };
  return issueTokens(services, row, session, row.counter);
}

type Rotation = { counter: number; rotated_at: number };

/** Returns whether the refresh token is the previous one and still within the grace period since the last rotation. */
function isPreviousInGrace(row: Rotation, counter: number, now: number, graceMs: number): boolean {
  return row.counter === counter + 1 && row.rotated_at + graceMs >= now;
}

/** Returns whether a genuine refresh token is usable: the current one, or the previous one within its grace period. */
export function isRefreshTokenUsable(row: Rotation, counter: number, now: number, graceMs: number): boolean {
  return row.counter === counter || isPreviousInGrace(row, counter, now, graceMs);
}

/**
 * Returns the statement that ends the session of a refresh token that is no longer usable, and inserts the audit entry. The
 * statement returns a row if it ended the session.
 */
export async function endReusedSession(
  services: IdentityServices,
  { sid, counter }: { sid: string; counter: number },
  client: ClientContext,
  now: number,
): Promise<Bound<{ id: string }>> {
  const data = await auditData(services, client, { failure_reason: "refresh_token_reused" });
  const { country, city } = client;
  return followedBy(
    revokeReusedSession({ sid, counter, now, graceMs: services.settings.refreshGraceMs }),
    insertReuseEvent({ sid, eventId: services.newEventId(), now, data, country, city }),
  );
}

/** Returns the statement that ends a session of the user now. It has no effect on a session that has already ended. */
export function endSession(
  { clock }: IdentityServices,
  session: { sid: string; userId: number; reason: "ended_by_user" | "ended_by_admin" },
): Bound {
  return revokeSession({ ...session, now: clock.now() });
}

/** Returns the statement with which an administrator ends every session of the user in the company now. */
export function endSessionsOfMember({ clock }: IdentityServices, key: { companyId: number; userId: number }): Bound {
  return revokeSessionsOfUser({ ...key, now: clock.now(), reason: "ended_by_admin" });
}

/**
 * Returns the statement that ends the session of the user's refresh token, in any company, if the user is no longer a member
 * of `companyId`. The revocation has the reason `logout`. Returns null without a genuine refresh token.
 */
export async function endSessionOfFormerMember(
  services: IdentityServices,
  { userId, companyId, refreshToken }: { userId: number; companyId: number; refreshToken: string | null },
): Promise<Bound | null> {
  const session = refreshToken === null ? null : await readRefreshToken(services, refreshToken);
  if (!session) return null;
  return revokeSessionOfFormerMember({
    sid: session.sid,
    userId,
    now: services.clock.now(),
    reason: "logout",
    companyId,
  });
}
