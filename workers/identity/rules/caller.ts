import type { IntrospectResult } from "../../../schemas/rpc";
import { Problem } from "../../kit/problem";
import type { IdentityServices } from "../services";
import { findLiveSession, type LiveSessionRow } from "../store/sessions";
import { isSessionLive, tokenInvalid } from "./session";
import { isOwner, verifyAccessToken } from "./tokens";

/** A caller who passed steps 1 to 4 of details 1.3, with the live rows. `exp` and `authTime` are unix seconds. */
export type Caller = { person: LiveSessionRow; companyId: number; isStaff: boolean; isOwner: boolean; exp: number };

/** 401 `unauthorized` with its challenge header. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'Bearer realm="platform"' } });
}

/** The raw bearer of a request, or null. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Checks a bearer by live rows, in the order of details 1.3. Nothing is kept for a later request, so logout and
 * revocation act at once.
 */
export async function requireBearer(services: IdentityServices, token: string | null): Promise<Caller> {
  if (token === null) throw unauthorized();
  const claims = await verifyAccessToken(services, token);
  if (!claims) throw tokenInvalid();
  const { db, clock } = services;
  const row = await db.first<LiveSessionRow>(findLiveSession.bind(db, claims.sid));
  if (!row || String(row.user_id) !== claims.sub || row.company_id !== claims.company_id) throw tokenInvalid();
  if (row.is_active !== 1 || row.state === null) throw tokenInvalid();
  if (row.company_active !== 1 || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
  if (!isSessionLive(row, clock.now())) throw tokenInvalid();
  return {
    person: row,
    companyId: row.company_id,
    isStaff: row.is_staff === 1,
    isOwner: isOwner(row),
    exp: claims.exp,
  };
}

/** The caller of a request. */
export async function requireCaller(services: IdentityServices, request: Request): Promise<Caller> {
  return requireBearer(services, bearerOf(request));
}

/** 403 `forbidden` unless the caller is staff or owns the company of the call. */
export function requireAdministrator(caller: Caller, companyId: number): void {
  if (!caller.isStaff && !(caller.isOwner && caller.companyId === companyId)) throw new Problem("forbidden");
}

/** The RPC form of the check (details 4.5): live values, or the status and code a sibling maps to its own answer. */
export async function introspect(
  services: IdentityServices,
  input: { token: string; company_id?: number },
  statusOf: (code: string) => number,
): Promise<IntrospectResult> {
  try {
    const caller = await requireBearer(services, input.token);
    if (input.company_id !== undefined && input.company_id !== caller.companyId && !caller.isStaff) {
      throw new Problem("company_mismatch");
    }
    return {
      active: true,
      kind: "session",
      user_id: caller.person.user_id,
      company_id: caller.companyId,
      email: caller.person.email,
      is_staff: caller.isStaff,
      is_company_owner: caller.isOwner,
      groups: [],
      exp: caller.exp,
      auth_time: Math.floor(caller.person.auth_time / 1000),
      sid: caller.person.sid,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { active: false, status: statusOf(error.code), error_code: error.code };
  }
}
