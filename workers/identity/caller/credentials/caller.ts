import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { BatchResults, Result } from "../../../kit/db/db";
import type { Reads } from "../../../kit/http/call";
import { clientNetwork } from "../../../kit/limits/client-ip";
import { errorName } from "../../../kit/log";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { bearerOf, isSessionLive, requireAccess, tokenInvalid, unauthorized } from "./credential";
import { findLivePat, findLiveSession, type LivePatRow, type LiveSessionRow, touchPat } from "./credential.store";
import { type AccessClaims, isOwner, PAT_PROVIDER, verifyAccessToken } from "./token";

/** The credential of a caller; `authTime` and `expiresAt` are unix ms. */
type Credential =
  | { kind: "session"; sid: string; authTime: number }
  | { kind: "pat"; id: string; jti: string; isReadOnly: boolean; seesGlobalMetrics: boolean; expiresAt: number };

/** A caller whose credential is genuine and live. `exp` is unix seconds. */
export type Caller = {
  user: CompanyUserRow;
  companyId: number;
  isStaff: boolean;
  isOwner: boolean;
  exp: number;
  /** provider of the sign-in; `personal_access_token` for a PAT */
  provider: string;
  credential: Credential;
};

/** The bearer token of a request. `network` is recorded as the network of a personal access token's last use. */
export type PresentedCredential = { token: string | null; method: string; network: string | null };

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
// Batch key of the credential statement. No operation uses it for its own statements.
const CREDENTIAL = "caller.credential";

/** Returns the bearer token, method and network of a request. */
export function credentialOf(request: Request): PresentedCredential {
  return { token: bearerOf(request), method: request.method, network: clientNetwork(request) };
}

/**
 * Authenticates a bearer token. Verifies its signature and claims, and checks account, company, membership, expiry and
 * revocation against live rows. `reads` are further statements, which run in the same batch. Nothing is cached, so logout
 * and revocation take effect at once. `readInParallel` runs in parallel and may read from a stale replica, so its results
 * must not decide on access. Throws 401 `unauthorized` without a token and 401 `token_invalid` for an invalid one. Throws 403
 * `access_denied`, `access_pending`, or `pat_read_only` for a mutation with a read-only token.
 */
export async function authenticate<R extends Reads>(
  services: IdentityServices,
  { token, method, network }: PresentedCredential,
  reads: (claims: AccessClaims) => R,
  readInParallel?: (claims: AccessClaims) => Promise<object>,
): Promise<{ caller: Caller; results: BatchResults<R> }> {
  if (token === null) throw unauthorized();
  const claims = await verifyAccessToken(services, token);
  if (!claims) throw tokenInvalid();
  const credential =
    claims.kind === "session" ? findLiveSession({ sid: claims.sid }) : findLivePat({ patId: claims.patId });
  const statements: Reads = { [CREDENTIAL]: credential, ...reads(claims) };
  const [{ [CREDENTIAL]: live, ...results }, parallelResults] = await Promise.all([
    services.db.batch(statements),
    readInParallel?.(claims),
  ]);
  const row = (live as unknown as Result<LiveSessionRow | LivePatRow>).first;
  if (!row || String(row.user_id) !== claims.sub || row.company_id !== claims.company_id) throw tokenInvalid();
  const caller = toCaller(services, claims, row);
  if (caller.credential.kind === "pat") {
    if (caller.credential.isReadOnly && !SAFE_METHODS.includes(method)) throw new Problem("pat_read_only");
    const { id } = caller.credential;
    services.afterResponse(() => recordTokenUse(services, id, network));
  }
  return { caller, results: { ...results, ...parallelResults } as unknown as BatchResults<R> };
}

/** Records the time and network of a token's last use. Logs a failure instead of throwing. */
async function recordTokenUse(services: IdentityServices, patId: string, network: string | null): Promise<void> {
  const { db, clock, log } = services;
  try {
    await db.run(touchPat({ patId, now: clock.now(), network }));
  } catch (error) {
    log.warn("token use not recorded", { pat_id: patId, cause: errorName(error) });
  }
}

function toCaller(services: IdentityServices, claims: AccessClaims, row: LiveSessionRow | LivePatRow): Caller {
  if (!row.is_active || row.state === null) throw tokenInvalid();
  requireAccess(row);
  const credential = "sid" in row ? readSession(services, row) : readPat(services, claims, row);
  if (!credential) throw tokenInvalid();
  return {
    user: row,
    companyId: row.company_id,
    isStaff: row.is_staff,
    isOwner: isOwner(row),
    exp: claims.exp,
    provider: "sid" in row ? row.provider : PAT_PROVIDER,
    credential,
  };
}

function readSession(services: IdentityServices, row: LiveSessionRow): Credential | null {
  if (!isSessionLive(row, services.clock.now())) return null;
  return { kind: "session", sid: row.sid, authTime: row.auth_time };
}

/** Returns the credential when the row is live and matches the token's claims, else null. */
function readPat(services: IdentityServices, claims: AccessClaims, row: LivePatRow): Credential | null {
  if (claims.kind !== "pat" || row.revoked_at !== null || row.expires_at <= services.clock.now()) return null;
  if (row.jti !== claims.jti || row.read_only !== claims.isReadOnly) return null;
  return {
    kind: "pat",
    id: row.pat_id,
    jti: row.jti,
    isReadOnly: row.read_only,
    // Setting the global metrics flag takes effect when the token is reissued; clearing it takes effect at once.
    seesGlobalMetrics: claims.seesGlobalMetrics && row.sees_global_metrics,
    expiresAt: row.expires_at,
  };
}

/**
 * Authenticates a request in one round trip and returns its caller, without checking a company or a role. Throws the errors
 * of authenticate.
 */
export async function requireCaller(services: IdentityServices, request: Request): Promise<Caller> {
  return (await authenticate(services, credentialOf(request), () => ({}))).caller;
}
