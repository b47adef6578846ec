import { invalid } from "../../../kit/problem";
import type { ClientContext } from "../../caller/client/client-context";
import { requireCaller } from "../../caller/credentials/caller";
import {
  bearerOf,
  isSessionLive,
  selectLiveSession,
  tokenInvalid,
  unauthorized,
} from "../../caller/credentials/credential";
import { readRefreshToken } from "../../caller/credentials/refresh-token";
import { type AccessClaims, verifyAccessToken } from "../../caller/credentials/token";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { endReusedSession, isRefreshTokenUsable } from "./session";
import { revokeOtherSessions, revokeSession } from "./session.store";

/** `bearer` is the result of readLogoutBearer. `hasBearer` is true when the request has a bearer token, valid or not. */
type LogoutInput = {
  bearer: AccessClaims | null;
  hasBearer: boolean;
  refreshToken: string | null;
  all: boolean;
  client: ClientContext;
};

/**
 * Returns the claims of a genuine bearer token, else null. The session of the token may already have ended. A personal access
 * token is authenticated as in every other request; a read-only one throws `pat_read_only` before the body is read.
 */
export async function readLogoutBearer(services: IdentityServices, request: Request): Promise<AccessClaims | null> {
  const token = bearerOf(request);
  const claims = token === null ? null : await verifyAccessToken(services, token);
  if (claims?.kind !== "pat") return claims;
  try {
    await requireCaller(services, request);
    return claims;
  } catch (error) {
    if (error instanceof Problem && error.code !== "pat_read_only") return null;
    throw error;
  }
}

/**
 * Revokes the session of the bearer token. Also revokes the session of the refresh token if it belongs to the same user.
 * With `all`, revokes every session of the user in that company. Idempotent: a request with a session that has
 * already ended changes nothing and ends no other session.
 *
 * A refresh token that is neither the current one nor the previous one within its grace period counts as reused and ends
 * only its own session. Throws 401 without a usable credential. Throws 400 for a personal access token without a refresh
 * token, because it has no session of its own. Throws 401 `refresh_token_reused` for a reused refresh token with `all` when
 * there is no live bearer session.
 */
export async function logout(services: IdentityServices, input: LogoutInput): Promise<void> {
  const claims = input.bearer;
  const refresh = input.refreshToken === null ? null : await readRefreshToken(services, input.refreshToken);
  if (claims?.kind === "pat" && !refresh) {
    throw invalid({ refresh_token: [input.refreshToken === null ? "required" : "invalid"] });
  }
  if (!claims && !refresh) throw input.hasBearer || input.refreshToken !== null ? tokenInvalid() : unauthorized();
  const { db, clock, settings } = services;
  const bearerSid = claims?.kind === "session" ? claims.sid : undefined;
  const sids = [...new Set([bearerSid, refresh?.sid].filter((sid) => sid !== undefined))];
  const { sessions: results } = await db.batch({ sessions: sids.map(selectLiveSession) });
  const rows = results.flatMap((result) => result.rows);
  const callerSession =
    rows.find((row) => row.sid === bearerSid && String(row.user_id) === claims?.sub) ??
    rows.find((row) => row.sid === refresh?.sid && (claims?.kind !== "pat" || String(row.user_id) === claims.sub));
  // A session whose row was purged needs no logout.
  if (!callerSession) return;
  const now = clock.now();
  const live = rows.filter((row) => row.user_id === callerSession.user_id && isSessionLive(row, now));
  const reused = live.find(
    (row) =>
      row.sid === refresh?.sid &&
      row.sid !== bearerSid &&
      !isRefreshTokenUsable(row, refresh.counter, now, settings.refreshGraceMs),
  );
  const signedInSession = live.find((row) => row !== reused);
  const { reuse } = await db.batch({
    // Must run before the session itself is ended, because an ended session may not end others.
    others:
      input.all && signedInSession
        ? revokeOtherSessions({ sid: signedInSession.sid, now, reason: "logout_all" })
        : null,
    ended: live
      .filter((row) => row !== reused)
      .map(({ sid, user_id: userId }) => revokeSession({ sid, userId, now, reason: "logout" })),
    reuse: refresh && reused ? await endReusedSession(services, refresh, input.client, now) : null,
  });
  if (!reused || !input.all || signedInSession) return;
  throw reuse?.first ? new Problem("refresh_token_reused") : tokenInvalid();
}
