import type { IdentityServices } from "../services";
import { findLiveSession, type LiveSessionRow, revokeSession, revokeSessionsOfUser } from "../store/sessions";
import { unauthorized } from "./caller";
import { tokenInvalid } from "./session";
import { readRefreshToken, verifyAccessToken } from "./tokens";

type LogoutInput = { bearer: string | null; refreshToken: string | null; all: boolean };

/**
 * Revokes the session of the bearer, that of the refresh token when it is the same user's, and with `all` every session
 * of the user in that company (details 4.4). Idempotent. Without a usable credential: 401.
 */
export async function logout(services: IdentityServices, input: LogoutInput): Promise<void> {
  const [claims, refresh] = await Promise.all([
    input.bearer === null ? null : verifyAccessToken(services, input.bearer),
    input.refreshToken === null ? null : readRefreshToken(services, input.refreshToken),
  ]);
  if (!claims && !refresh) throw input.bearer === null && input.refreshToken === null ? unauthorized() : tokenInvalid();
  const { db, clock } = services;
  const bearerSid = claims?.kind === "session" ? claims.sid : undefined;
  const sids = [...new Set([bearerSid, refresh?.sid].filter((sid) => sid !== undefined))];
  const found = await db.batch<LiveSessionRow[]>(sids.map((sid) => findLiveSession.bind(db, sid)));
  const rows = found.flatMap((result) => result.results);
  const own =
    rows.find((row) => row.sid === bearerSid && String(row.user_id) === claims?.sub) ??
    rows.find((row) => row.sid === refresh?.sid);
  // A session that is already purged is as ended as one can be.
  if (!own) return;
  const now = clock.now();
  const ended = rows.filter((row) => row.user_id === own.user_id);
  await db.batch([
    ...ended.map((row) => revokeSession.bind(db, row.sid, row.user_id, now, "logout")),
    ...(input.all ? [revokeSessionsOfUser.bind(db, own.user_id, own.company_id, now, "logout_all")] : []),
  ]);
}
