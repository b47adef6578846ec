import type { Bound } from "../../../kit/db/statement";
import { Problem } from "../../problem";
import { findLiveSession, type LiveSessionRow } from "./credential.store";

/** 401 `unauthorized` with its challenge header. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'Bearer realm="platform"' } });
}

/** 401 `token_invalid` with its challenge header. */
export function tokenInvalid(): Problem {
  return new Problem("token_invalid", {
    headers: { "www-authenticate": 'Bearer realm="platform", error="invalid_token"' },
  });
}

/** The raw bearer of a request, or null without one; one that cannot be a token is still a bad credential. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/** The read of a session with its person and company, for a batch. */
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

/** Throws what a member who is not let in gets: 403 `access_denied` or `access_pending`. */
export function requireAccess(row: { state: string | null; company_active: boolean }): void {
  if (!row.company_active || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
}
