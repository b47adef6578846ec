import { base64urlToBytes, bytesToBase64url, bytesToHex, bytesToUtf8, utf8ToBytes } from "../../kit/crypto/encoding";
import { hmacSha256, sha256, timingSafeEqual } from "../../kit/crypto/hash";

/**
 * The access that a signed URL grants to one object of a company. It ends at `expiresAt` (seconds since the epoch), or when
 * the signer is no longer a member. `userId` is null in old tokens, which did not contain it.
 */
export type Grant = { companyId: number; bucket: string; path: string; expiresAt: number; userId: number | null };

/** The signing key, and the previous key, whose tokens remain valid. */
export type SigningKeys = { key: Uint8Array; previousKey: Uint8Array | null };

const MAX_TOKEN_LENGTH = 8192;

/**
 * Returns the token of a grant: base64url of the JSON `{k, c, b, p, e, u}` (key id, company, bucket, path, expiry, user), a
 * dot, and base64url of its HMAC-SHA-256.
 */
export async function signGrant({ key }: SigningKeys, grant: Grant): Promise<string> {
  const { companyId: c, bucket: b, path: p, expiresAt: e, userId: u } = grant;
  const payload = bytesToBase64url(utf8ToBytes(JSON.stringify({ k: await keyId(key), c, b, p, e, u: u ?? undefined })));
  return `${payload}.${bytesToBase64url(await hmacSha256(key, payload))}`;
}

/** Returns the grant of a token, or null if none of the keys signed it. The caller checks the expiry. */
export async function openGrant({ key, previousKey }: SigningKeys, token: string): Promise<Grant | null> {
  const [payload = "", mac = "", ...rest] = token.length <= MAX_TOKEN_LENGTH ? token.split(".") : [];
  if (payload === "" || rest.length > 0) return null;
  for (const candidate of previousKey === null ? [key] : [key, previousKey]) {
    const expected = bytesToBase64url(await hmacSha256(candidate, payload));
    if (timingSafeEqual(expected, mac)) return readGrant(payload, await keyId(candidate));
  }
  return null;
}

/** Parses and validates the payload, in case the same key also signs other payloads. Returns null if it is not a grant. */
function readGrant(payload: string, id: string): Grant | null {
  try {
    const { k, c, b, p, e, u = null } = JSON.parse(bytesToUtf8(base64urlToBytes(payload))) as Record<string, unknown>;
    const isValid =
      k === id && Number.isSafeInteger(c) && Number.isSafeInteger(e) && (u === null || Number.isSafeInteger(u));
    if (!isValid || typeof b !== "string" || typeof p !== "string") return null;
    return { companyId: Number(c), bucket: b, path: p, expiresAt: Number(e), userId: u === null ? null : Number(u) };
  } catch {
    return null;
  }
}

const keyId = async (key: Uint8Array): Promise<string> => bytesToHex(await sha256(key)).slice(0, 8);
