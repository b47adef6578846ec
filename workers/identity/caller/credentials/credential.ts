import type { Bound } from "../../../kit/db/statement";
import { Problem } from "../../problem";
import { findLiveSession, type LiveSessionRow } from "./credential.store";

/** Returns 401 `unauthorized` with its `WWW-Authenticate` challenge. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'Bearer realm="platform"' } });
}

/** Returns 401 `token_invalid` with its `WWW-Authenticate` challenge. */
export function tokenInvalid(): Problem {
  return new Problem("token_invalid", {
    headers: { "www-authenticate": 'Bearer realm="platform", error="invalid_token"' },
  });
}

/**
 * Returns the raw bearer token, or null if the request has none. Any non-empty value counts as a credential, so a malformed
 * token is rejected instead of being ignored.
 */
export function bearerOf(request: Request): string | null {
  return /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Returns the statement that selects a session with its user and company. */
export function selectLiveSession(sid: string): Bound<LiveSessionRow> {
  return findLiveSession({ sid });
}

/** Returns whether a session can still be used at `now` (unix ms). */
export function isSessionLive(
  row: Pick<LiveSessionRow, "revoked_at" | "idle_expires_at" | "absolute_expires_at">,
  now: number,
): boolean {
  return row.revoked_at === null && row.idle_expires_at > now && row.absolute_expires_at > now;
}

/** Throws 403 `access_denied` for an inactive company or a denied membership, and 403 `access_pending` for a pending one. */
export function requireAccess(row: { state: string | null; company_active: boolean }): void {
  if (!row.company_active || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
}
