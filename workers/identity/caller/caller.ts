import type { IntrospectInput, IntrospectResult } from "../../../schemas/rpc";
import { type LateBody, readLateBody } from "../../kit/http/request/body";
import { companyScope } from "../../kit/http/request/company-scope";
import { clientNetwork } from "../../kit/limits/client-ip";
import { errorName } from "../../kit/log";
import { Problem } from "../../kit/problem";
import { type CompanyRow, findCompany, type PersonRow } from "../account/person.store";
import type { IdentityServices } from "../services";
import { isSessionLive, tokenInvalid } from "../sessions/session";
import { findLiveSession, type LiveSessionRow } from "../sessions/session.store";
import { findLivePat, type LivePatRow, touchPat } from "./credential.store";
import { type AccessClaims, isOwner, patProvider, verifyAccessToken } from "./token";

/** What a caller came with. `authTime` is unix ms, `expiresAt` of a token too. */
type Credential =
  | { kind: "session"; sid: string; authTime: number }
  | { kind: "pat"; id: string; jti: string; isReadOnly: boolean; seesGlobalMetrics: boolean; expiresAt: number };

/** A caller who passed steps 1 to 5 of details 1.3, with the live rows. `exp` is unix seconds. */
export type Caller = {
  person: PersonRow;
  companyId: number;
  isStaff: boolean;
  isOwner: boolean;
  exp: number;
  /** how they signed in; `personal_access_token` for a PAT */
  provider: string;
  credential: Credential;
};

/** Who may make a call: any member, staff or an owner of the company, or staff alone. */
type Role = "member" | "owner" | "staff";

/** An admitted call: the caller, the company it is about, and the rows of its own first reads. */
export type Admission<T extends unknown[]> = {
  caller: Caller;
  company: CompanyRow;
  results: { [K in keyof T]: D1Result<T[K]> };
};

const safeMethods = ["GET", "HEAD", "OPTIONS"];

/** 401 `unauthorized` with its challenge header. */
export function unauthorized(): Problem {
  return new Problem("unauthorized", { headers: { "www-authenticate": 'Bearer realm="platform"' } });
}

/** The raw bearer of a request, or null without one; one that cannot be a token is still a bad credential. */
export function bearerOf(request: Request): string | null {
  return /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
}

/**
 * Checks a bearer by live rows, in the order of details 1.3, with `reads` in the same batch. Nothing is kept for a later
 * request, so logout and revocation act at once. `network` is what a used token remembers.
 */
async function authenticate(
  services: IdentityServices,
  call: { token: string | null; method: string; network: string | null },
  reads: (claims: AccessClaims) => D1PreparedStatement[],
): Promise<{ caller: Caller; results: D1Result<unknown>[] }> {
  if (call.token === null) throw unauthorized();
  const claims = await verifyAccessToken(services, call.token);
  if (!claims) throw tokenInvalid();
  const { db } = services;
  const credential =
    claims.kind === "session" ? findLiveSession.bind(db, claims.sid) : findLivePat.bind(db, claims.patId);
  const [live, ...results] = await db.batch<unknown[]>([credential, ...reads(claims)]);
  const row = live?.results[0] as LiveSessionRow | LivePatRow | undefined;
  if (!row || String(row.user_id) !== claims.sub || row.company_id !== claims.company_id) throw tokenInvalid();
  const caller = toCaller(services, claims, row);
  if (caller.credential.kind === "pat") {
    if (caller.credential.isReadOnly && !safeMethods.includes(call.method)) throw new Problem("pat_read_only");
    const { id } = caller.credential;
    services.afterAnswer(() => noteUse(services, id, call.network));
  }
  return { caller, results };
}

/** `last_used_at` of a token (details 9, point 5). */
async function noteUse(services: IdentityServices, patId: string, network: string | null): Promise<void> {
  const { db, clock, log } = services;
  try {
    await db.run(touchPat.bind(db, patId, clock.now(), network));
  } catch (error) {
    log.warn("use of a token was not noted", { pat_id: patId, cause: errorName(error) });
  }
}

/** Steps 2 to 4 on the live row. */
function toCaller(services: IdentityServices, claims: AccessClaims, row: LiveSessionRow | LivePatRow): Caller {
  if (row.is_active !== 1 || row.state === null) throw tokenInvalid();
  if (row.company_active !== 1 || row.state === "denied") throw new Problem("access_denied");
  if (row.state === "pending") throw new Problem("access_pending");
  const credential = "sid" in row ? readSession(services, row) : readPat(services, claims, row);
  if (!credential) throw tokenInvalid();
  return {
    person: row,
    companyId: row.company_id,
    isStaff: row.is_staff === 1,
    isOwner: isOwner(row),
    exp: claims.exp,
    provider: "sid" in row ? row.provider : patProvider,
    credential,
  };
}

function readSession(services: IdentityServices, row: LiveSessionRow): Credential | null {
  if (!isSessionLive(row, services.clock.now())) return null;
  return { kind: "session", sid: row.sid, authTime: row.auth_time };
}

/** The row is live and says what the token says (details 9, point 4). */
function readPat(services: IdentityServices, claims: AccessClaims, row: LivePatRow): Credential | null {
  if (claims.kind !== "pat" || row.revoked_at !== null || row.expires_at <= services.clock.now()) return null;
  if (row.jti !== claims.jti || (row.read_only === 1) !== claims.isReadOnly) return null;
  return {
    kind: "pat",
    id: row.pat_id,
    jti: row.jti,
    isReadOnly: row.read_only === 1,
    // A raised flag reaches a token only when it is issued again; a lowered one ends the power at once.
    seesGlobalMetrics: claims.seesGlobalMetrics && row.sees_global_metrics === 1,
    expiresAt: row.expires_at,
  };
}

/** The caller of a request that is about nobody but themselves. One round trip. */
export async function requireCaller(services: IdentityServices, request: Request): Promise<Caller> {
  return (await requireCallerWith(services, request, () => [])).caller;
}

/** As requireCaller, with the call's own reads in the same round trip; they get user and company of the token. */
export async function requireCallerWith<T extends unknown[]>(
  services: IdentityServices,
  request: Request,
  reads: (companyId: number, userId: number) => D1PreparedStatement[],
): Promise<{ caller: Caller; results: Admission<T>["results"] }> {
  const call = { token: bearerOf(request), method: request.method, network: clientNetwork(request) };
  const { caller, results } = await authenticate(services, call, (claims) =>
    reads(claims.company_id, Number(claims.sub)),
  );
  return { caller, results: results as Admission<T>["results"] };
}

/**
 * The whole of details 1.3 for a call about a company: credential, company scope (query, then body, then token), role,
 * then 404 for a company that staff name and that is not there. `reads` are made for that company in the same round trip.
 * A body is read before its faults may be told, because the company can stand in it; `take` of it answers them.
 */
export async function admit<T extends unknown[] = []>(
  services: IdentityServices,
  request: Request,
  role: Role,
  options: { body?: LateBody; reads?: (companyId: number, userId: number) => D1PreparedStatement[] } = {},
): Promise<Admission<T>> {
  const { db } = services;
  const query = new URL(request.url).searchParams.get("company_id") ?? undefined;
  const body = options.body?.companyId;
  const call = { token: bearerOf(request), method: request.method, network: clientNetwork(request) };
  let readFor: number | null = null;
  const { caller, results } = await authenticate(services, call, (claims) => {
    // Which company staff ask about is known before it is known whether they are staff: read now, judge below.
    readFor = scopeOrNull({ query, body, token: claims.company_id, isStaff: true });
    return readFor === null
      ? []
      : [findCompany.bind(db, readFor), ...(options.reads?.(readFor, Number(claims.sub)) ?? [])];
  });
  const companyId = companyScope({ query, body, token: caller.companyId, isStaff: caller.isStaff });
  requireRole(caller, companyId, role);
  const [found, ...own] = results;
  const company = companyId === readFor ? (found?.results[0] as CompanyRow | undefined) : undefined;
  if (!company) throw new Problem("not_found");
  return { caller, company, results: own as Admission<T>["results"] };
}

/** As `admit`, for a call with a JSON body; the fields are answered with the admission. */
export async function admitWithBody<T extends unknown[] = []>(
  services: IdentityServices,
  request: Request,
  role: Role,
  reads?: (companyId: number, userId: number) => D1PreparedStatement[],
): Promise<Admission<T> & { take: LateBody["take"] }> {
  const body = await readLateBody(request);
  const admission = await admit<T>(services, request, role, { body, ...(reads ? { reads } : {}) });
  return { ...admission, take: body.take };
}

function scopeOrNull(input: Parameters<typeof companyScope>[0]): number | null {
  try {
    return companyScope(input);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

function requireRole(caller: Caller, companyId: number, role: Role): void {
  const isAdmitted =
    caller.isStaff || role === "member" || (role === "owner" && caller.isOwner && caller.companyId === companyId);
  if (!isAdmitted) throw new Problem("forbidden");
}

/** The RPC form of the check (details 4.5): live values, or the status and code a sibling maps to its own answer. */
export async function introspect(
  services: IdentityServices,
  input: IntrospectInput,
  statusOf: (code: string) => number,
): Promise<IntrospectResult> {
  try {
    const call = { token: input.token, method: input.method, network: input.network ?? null };
    const { caller } = await authenticate(services, call, () => []);
    if (input.company_id !== undefined && input.company_id !== caller.companyId && !caller.isStaff) {
      throw new Problem("company_mismatch");
    }
    return { active: true, ...describe(caller) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { active: false, status: statusOf(error.code), error_code: error.code };
  }
}

function describe({ person, companyId, isStaff, isOwner, exp, credential }: Caller) {
  return {
    kind: credential.kind,
    user_id: person.id,
    company_id: companyId,
    email: person.email,
    is_staff: isStaff,
    is_company_owner: isOwner,
    groups: [],
    exp,
    ...(credential.kind === "session"
      ? { auth_time: Math.floor(credential.authTime / 1000), sid: credential.sid }
      : { pat_id: credential.id, pat_ro: credential.isReadOnly, pat_agm: credential.seesGlobalMetrics }),
  };
}
