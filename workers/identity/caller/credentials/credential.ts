import type { Bound } from "../../../kit/db/statement";
import { Problem } from "../../problem";
import { findLiveSession, type LiveSessionRow } from "./credential.store";

/** Returns 401 `unauthorized` with its challenge header. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'Bearer realm="platform"' } });
}

/** Returns 401 `token_invalid` with its challenge header. */
export function tokenInvalid(): Problem {
  return new Problem("token_invalid", {
    headers: { "www-authenticate": 'Bearer realm="platform", error="invalid_token"' },
  });
}

/**
 * Returns the raw bearer token, or null without one. Any non-empty value counts as a credential, so a malformed one is
 * rejected.
 */
export function bearerOf(request: Request): string | null {
  return /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** Statement: a session with its user and company. */
export function selectLiveSession(sid: string): Bound<LiveSessionRow> {
  return findLiveSession({ sid });
}

/** Whether a session may still be used at `now`. */
export function isSessionLive(
  row: Pick<LiveSessionRow, "revoked_at" | "idle_expires_at" | "absolute_expires_at">,
  now: number,
): boolean {
  return row.revoked_at === null && row.idle_expires_at > now && row.absolute_expires_at > now;
}

/** Throws 403 `access_denied` or `access_pending` unless the membership is allowed and the company active. */
export function requireAccess(row: { state: string | null; company_active: boolean }): void {
  if (!row.company_active || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
}
