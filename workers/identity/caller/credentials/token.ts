import { jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { CompanyUserRow } from "../../../../db/identity/conditions/company-user";
import type { PatRow } from "../../../../db/identity/schema";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { randomHex } from "../../../kit/crypto/random";
import type { IdentityServices } from "../../services";
import { preferencesOf, profileOf } from "../../users/profiles/company-user";
import { makeRefreshToken } from "./refresh-token";

/** The token response of redeem, refresh and sign-in; `expires_in` is seconds, `expires_at` is unix seconds. */
export type TokenPayload = {
  access_token: string;
  refresh_token: string;
  token_type: "bearer";
  expires_in: number;
  expires_at: number;
  provider: string;
};

/** The session facts of an access token; `authTime` is unix ms. */
type SessionFacts = { sid: string; companyId: number; provider: string; authTime: number };

/** The verified claims of an access token that authentication uses. `exp` is unix seconds. */
export type AccessClaims = { sub: string; company_id: number; exp: number } & (
  | { kind: "session"; sid: string }
  | { kind: "pat"; patId: string; jti: string; isReadOnly: boolean; seesGlobalMetrics: boolean }
);

// A claim of the wrong type makes the token invalid.
const accessClaimsSchema = lazySchema(() =>
  z.object({
    token_type: z.literal("access"),
    sub: z.string(),
    company_id: z.int().min(1),
    exp: z.number(),
  }),
);
const sessionClaimsSchema = lazySchema(() =>
  z.object({ sid: z.string(), auth_time: z.number(), pat_id: z.undefined().optional() }),
);
const patClaimsSchema = lazySchema(() =>
  z.object({
    pat_id: z.string(),
    jti: z.string(),
    pat_ro: z.boolean(),
    pat_agm: z.boolean(),
    sid: z.undefined().optional(),
  }),
);

/** The values of an access token other than the user. `expiresAt` is unix seconds; `jti` has 32 hex characters. */
type TokenFacts = {
  companyId: number;
  provider: string;
  expiresAt: number;
  jti: string;
  credentialClaims: { sid: string; auth_time: number } | { pat_id: string; pat_ro: boolean; pat_agm: boolean };
};

/** Signs an RS256 access token with claims from live rows. Claims: docs/specification/sessions.md#access-token */
async function signAccessToken(services: IdentityServices, user: CompanyUserRow, token: TokenFacts): Promise<string> {
  const { settings, clock } = services;
  const { signing } = await services.keys();
  const profile = profileOf(user);
  const claims = {
    token_type: "access",
    user_id: String(user.id),
    company_id: token.companyId,
    email: user.email,
    is_staff: user.is_staff,
    app_metadata: { provider: token.provider },
    user_metadata: {
      name: profile.name,
      full_name: profile.name,
      avatar_url: user.avatar_url ?? "",
      is_staff: user.is_staff,
      is_company_owner: isOwner(user),
      platformPreferences: preferencesOf(user),
      groups: user.group_names ?? [],
      ...(user.groups_truncated ? { groups_truncated: true } : {}),
    },
    ...token.credentialClaims,
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: signing.kid })
    .setIssuer(settings.issuer)
    .setAudience(settings.audience)
    .setSubject(String(user.id))
    .setIssuedAt(Math.floor(clock.now() / 1000))
    .setExpirationTime(token.expiresAt)
    .setJti(token.jti)
    .sign(signing.key);
}

/** The value of `app_metadata.provider` in personal access tokens. */
export const PAT_PROVIDER = "personal_access_token";

/** Signs the JWT of a personal access token. `user` is the token's holder with their membership in the token's company. */
export async function signPat(
  services: IdentityServices,
  user: CompanyUserRow,
  row: Pick<PatRow, "id" | "company_id" | "jti" | "read_only" | "access_global_metrics" | "expires_at">,
): Promise<string> {
  return signAccessToken(services, user, {
    companyId: row.company_id,
    provider: PAT_PROVIDER,
    expiresAt: row.expires_at / 1000,
    jti: row.jti,
    credentialClaims: { pat_id: row.id, pat_ro: row.read_only, pat_agm: row.access_global_metrics },
  });
}

/** Returns whether the user is an owner of the company whose membership the row contains. */
export function isOwner(user: CompanyUserRow): boolean {
  return user.state === "allowed" && user.is_owner === true;
}

/** Signs an access token and a refresh token for a session. `counter` is the session's refresh counter. */
export async function issueTokens(
  services: IdentityServices,
  user: CompanyUserRow,
  session: SessionFacts,
  counter: number,
): Promise<TokenPayload> {
  const { settings, clock } = services;
  const expiresIn = settings.accessTokenMs / 1000;
  const { sid, companyId, provider, authTime } = session;
  const expiresAt = Math.floor(clock.now() / 1000) + expiresIn;
  const credentialClaims = { sid, auth_time: Math.floor(authTime / 1000) };
  const [access_token, refresh_token] = await Promise.all([
    signAccessToken(services, user, {
      companyId,
      provider,
      expiresAt,
      jti: randomHex(16),
      credentialClaims,
    }),
    makeRefreshToken((await services.keys()).refresh, session.sid, counter),
  ]);
  return {
    access_token,
    refresh_token,
    token_type: "bearer",
    expires_in: expiresIn,
    expires_at: expiresAt,
    provider,
  };
}

/**
 * Returns the claims of a genuine, unexpired access token, else null. Checks the signature with the current and the previous
 * key, `iss`, `aud`, `exp` and `token_type`.
 */
export async function verifyAccessToken(services: IdentityServices, token: string): Promise<AccessClaims | null> {
  const { verifying } = await services.keys();
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const verifyingKey = verifying.find((candidate) => candidate.kid === kid);
        if (!verifyingKey) throw new Error("unknown kid");
        return verifyingKey.key;
      },
      {
        algorithms: ["RS256"],
        issuer: services.settings.issuer,
        audience: services.settings.audience,
        currentDate: new Date(services.clock.now()),
        requiredClaims: ["sub", "exp", "iat"],
      },
    );
    return readClaims(payload);
  } catch {
    // Every invalid token gets the same error, token_invalid.
    return null;
  }
}

function readClaims(payload: unknown): AccessClaims | null {
  const access = accessClaimsSchema.safeParse(payload).data;
  if (!access) return null;
  const { sub, company_id, exp } = access;
  const session = sessionClaimsSchema.safeParse(payload).data;
  if (session) return { kind: "session", sub, company_id, exp, sid: session.sid };
  const pat = patClaimsSchema.safeParse(payload).data;
  if (!pat) return null;
  const { pat_id: patId, jti, pat_ro: isReadOnly, pat_agm: seesGlobalMetrics } = pat;
  return { kind: "pat", sub, company_id, exp, patId, jti, isReadOnly, seesGlobalMetrics };
}
