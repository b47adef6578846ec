import { calculateJwkThumbprint, exportJWK, importPKCS8, SignJWT } from "jose";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { clock } from "../../../workers/kit/clock";
import { storePatRow, storeSession } from "./rows";

/** Returns an access token with these claims, signed with the key of the test settings. */
export async function signClaims(bindings: IdentityBindings, claims: Record<string, unknown>): Promise<string> {
  const key = await importPKCS8(String(bindings.JWT_PRIVATE_KEY), "RS256", { extractable: true });
  const { kty, n, e } = await exportJWK(key);
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({ token_type: "access", ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: await calculateJwkThumbprint({ kty, n, e } as never) })
    .setIssuer(String(bindings.JWT_ISSUER))
    .setAudience("platform")
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(key);
}

/**
 * Stores a personal access token of a user. Returns its id and JWT. The JWT's claims match the row, except for those in
 * `claims`.
 */
export async function createPat(
  bindings: IdentityBindings,
  pat: { user: number; company: number; readOnly?: boolean; globalMetrics?: boolean; setBy?: number },
  claims: Record<string, unknown> = {},
): Promise<{ id: string; token: string }> {
  const { id, jti } = await storePatRow(pat.company, pat.user, {
    read_only: pat.readOnly ?? false,
    access_global_metrics: pat.globalMetrics ?? false,
    agm_set_by: pat.setBy ?? null,
    created_at: clock.now(),
    expires_at: clock.now() + 3_600_000,
  });
  const token = await signClaims(bindings, {
    sub: String(pat.user),
    company_id: pat.company,
    jti,
    pat_id: id,
    pat_ro: pat.readOnly ?? false,
    pat_agm: pat.globalMetrics ?? false,
    ...claims,
  });
  return { id, token };
}

/** Stores a session of a user, who signs in now. Returns its access token. */
export async function createSession(
  bindings: IdentityBindings,
  { user, company }: { user: number; company: number },
): Promise<string> {
  const sid = await storeSession({ id: company }, { id: user });
  const auth_time = Math.floor(clock.now() / 1000);
  return signClaims(bindings, { sub: String(user), company_id: company, sid, auth_time });
}
