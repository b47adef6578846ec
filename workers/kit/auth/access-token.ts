import { errors, jwtVerify } from "jose";
import * as z from "zod";
import { lazySchema } from "../../../schemas/lazy-schema";
import { clock } from "../clock";
import type { KeySet } from "./jwks";

const positiveId = lazySchema(() =>
  z.union([
    z.int().min(1),
    z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .transform(Number),
  ]),
);

// A claim of the wrong type makes the token invalid.
const claimsSchema = lazySchema(() =>
  z.object({
    token_type: z.literal("access"),
    sub: z.string().optional(),
    user_id: positiveId.unwrap().optional(),
    company_id: z.int().min(1).nullish(),
    email: z.string().optional(),
    is_staff: z.boolean().optional(),
    user_metadata: z.looseObject({ is_company_owner: z.boolean().optional() }).nullish(),
    pat_id: z.string().nullish(),
    pat_agm: z.boolean().nullish(),
  }),
);

/** The claims of a verified access token. The roles in it may be stale; mutations check the current roles. */
export type AccessToken = {
  kind: "session" | "pat";
  userId: number;
  companyId: number | null;
  email: string;
  isStaff: boolean;
  isOwner: boolean;
  seesAllMetrics: boolean;
};

/**
 * Checks the signature (RS256 by `kid`), `iss`, `aud`, `exp` and `token_type` of an access token. Returns null for an
 * invalid token; throws KeySetError when the issuer's keys cannot be read.
 */
export async function verifyAccessToken(
  token: string,
  expected: { keySet: KeySet; issuer: string; audience: string },
): Promise<AccessToken | null> {
  try {
    const { payload } = await jwtVerify(token, (header) => findKey(expected.keySet, header.kid), {
      algorithms: ["RS256"],
      issuer: expected.issuer,
      audience: expected.audience,
      requiredClaims: ["exp"],
      currentDate: new Date(clock.now()),
    });
    const claims = claimsSchema.safeParse(payload);
    return claims.success ? toAccessToken(claims.data) : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

async function findKey(keySet: KeySet, kid: string | undefined) {
  const key = kid === undefined ? null : await keySet.find(kid);
  if (key === null) throw new errors.JWKSNoMatchingKey();
  return key;
}

function toAccessToken(claims: z.output<typeof claimsSchema>): AccessToken | null {
  const userId = claims.user_id ?? positiveId.safeParse(claims.sub).data;
  if (userId === undefined) return null;
  return {
    kind: claims.pat_id ? "pat" : "session",
    userId,
    companyId: claims.company_id ?? null,
    email: claims.email ?? "",
    isStaff: claims.is_staff === true,
    isOwner: claims.user_metadata?.is_company_owner === true,
    seesAllMetrics: claims.pat_agm === true,
  };
}
